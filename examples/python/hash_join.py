"""Grace hash join of R and S: what memory does not hold goes to NVMe and comes back."""

import roofdsl as rd

nvme = {"nvme": "B"}

hash_join = rd.make_model(
    "hash_join",
    doc="Grace hash join of R and S: what memory does not hold goes to NVMe and comes back.",
    sources=["Kitsuregawa, Tanaka and Moto-oka 1983, New Generation Computing 1, 63"],
    units=["euro"],
    resources=nvme,
    parameters={
        "R": "GB",
        "S": "GB",
        "record": "= 64 B",
        "held": "B = machine.dram",
    },
    lets={
        "spilled": "max(0, 1 - held/R)  ## part of R that memory does not hold",
        "records": "(R + S)/record",
    },
    steps=[
        rd.step(
            "partition",
            steps=[
                rd.overlap(
                    rd.step("read", nvme="R + S"),
                    rd.step("hash", memory="3*(R + S)", flops="20*records"),
                    rd.step("write", nvme="spilled*(R + S)"),
                )
            ],
        ),
        rd.step(
            "probe",
            steps=[
                rd.overlap(
                    rd.step("again", nvme="spilled*(R + S)"),
                    rd.step("match", memory="128 B*records", flops="30*records"),
                )
            ],
        ),
    ],
    metrics={
        "joined": "GB/s = (R + S) / time",
        "euro_per_TB": "euro/TB = cost / (R + S)",
    },
)

box = rd.make_machine(
    "box",
    {"nvme(w)": "12 GB/s * w/(w + 1.2 MB)"},  # half of it for 1.2 MB: 100 us of start-up
    units=["euro"],
    resources=nvme,
    lets={"dram": "500 GB"},
    flops=500e9,
    memory=300e9,
    price="3.6 euro/h",
)

two_drives = rd.make_machine(
    "two_drives",
    {"nvme(w)": "24 GB/s * w/(w + 2.4 MB)"},
    base=box,
    price="4.2 euro/h",
)
