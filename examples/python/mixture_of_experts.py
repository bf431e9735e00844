"""A step of decoding of DeepSeek-V3, its experts spread over all ranks."""

import roofdsl as rd

all_to_all = rd.load("collectives.mpi").models["all_to_all_pairwise"]

moe_decode = rd.make_model(
    "moe_decode",
    doc="A step of decoding of DeepSeek-V3, its experts spread over all ranks.",
    sources=[
        "DeepSeek-AI 2024 (DeepSeek-V3), arXiv:2412.19437, section 4.2",
        "sizes: config_671B.json of its release, DeepSeek-AI 2024",
    ],
    units=["token", "euro", "Mtoken = 1e6 token"],
    parameters={
        "batch": "integer  ## sequences on each rank",
        "context": "integer = 4096  ## tokens kept of each",
        "EP": "processes = 32",
        "layers": ("integer", 61),
        "h": ("integer", 7168),
        "heads": ("integer", 128),
        "latent": "integer = 512  ## of keys and values, kept for all heads together",
        "rope": "integer = 64  ## of keys, kept beside it",
        "experts": ("integer", 256),
        "topk": ("integer", 8),
        "width": "integer = 2048  ## of one expert",
        "weights": "precision = fp8",
        "cache": "precision = bf16",
    },
    lets={
        "queries": "h*1536 + 1536*heads*(128 + rope)",
        "others": "h*(latent + rope) + latent*heads*256 + heads*128*h",
        "attended": "batch*context  ## tokens that are looked at",
        "hit": "1 - (1 - topk/experts)^(batch*EP)  ## part of the experts that is needed",
        "expert": "3*h*width",
        "local": "experts/EP + 1  ## experts of a rank, with the one that all share",
        "routed": "batch*topk*h  ## values for all ranks",
    },
    steps=[
        rd.repeat(
            "layers",
            rd.step(
                "attention",
                {
                    "flops.matrix[weights]": "2*batch*(queries + others)",
                    "flops.matrix[cache]": "2*attended*heads*(2*latent + rope)",
                    "flops.special.fp32": "attended*heads",
                },
                memory="(queries + others)*size(weights) + attended*(latent + rope)*size(cache)",
            ),
            rd.step("dispatch", all_to_all(bytes="routed*size(weights)", ranks="EP")),
            rd.step(
                "feed",
                {"flops.matrix[weights]": "2*batch*(topk + 1)*expert"},
                memory="(experts/EP*hit + 1)*expert*size(weights)",
            ),
            rd.step("combine", all_to_all(bytes="routed*size(cache)", ranks="EP")),
        )
    ],
    tallies={
        "footprint": "B = layers*(queries + others + local*expert)*size(weights)"
        " + layers*attended*(latent + rope)*size(cache)"
    },
    totals="even",
    metrics={
        "per_user": "token/s = 1 token / time",
        "throughput": "token/s = EP*batch*1 token / time",
        "euro_per_Mtoken": "euro/Mtoken = cost / (EP*batch*1 token)",
        "communication": "dispatch.share + combine.share",
        "launching": "time.startup / time",
    },
)

card = rd.make_machine(
    "card",
    doc="A card of the size of today's, in round numbers.",
    units=["euro"],
    flops={
        "matrix.fp8": 2e15,
        "matrix.bf16": 1e15,
        "vector.fp32": 64e12,
        "special.fp32": 16e12,
        "default": "vector.fp32",
    },
    memory="4.8 TB/s",
    network="50 GB/s",
    messages="0.5 us/message",
    capacity={"memory": "141 GB"},
    startup="3 us",
    price="3.6 euro/h",
)
