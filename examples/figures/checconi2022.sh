# Checconi, Tithi, Petrini, Ridgeline: A 2D Roofline Model for Distributed Systems.

# Fig. 1: the naive surface over both intensities. Fig. 3: the surface with a roofline in each
# direction; the panels are the red and the blue line.
# expect where what is ridge point: performance ~ 4.2 TFLOP/s -- §I: "The top plateau corresponds to kernels whose theoretical peak performance is compute bound"
roofdsl plot surface --machine cascade_lake -o checconi2022-1.svg
# expect where bound is network: performance ~ 12 GB/s*CAI within 0.001% -- §II: "the compute-network roofline"
# expect where bound is flops: performance ~ 4.2 TFLOP/s -- §III: "4.2TF/s FP32 flop capacity"
# expect along batch where bound is network: next.performance > performance -- §I: "the face sloping upwards along increasing operational (resp. communication) intensities"
roofdsl plot surface papers.checconi2022:mlp_training_limit --machine cascade_lake -p batch=8..4096:x2 -o checconi2022-3.svg

# Fig. 2: the regions and the ridge; (a) to (d) lead up to (e). Fig. 5 shows a layer, no data.
# expect where what is ridge point: MI == cascade_lake.memory/cascade_lake.network -- §III: "The central point of the ridgeline is located at"
# expect where what is ridge point: OI == cascade_lake.flops/cascade_lake.memory -- §III: "The central point of the ridgeline is located at"
roofdsl plot ridgeline --machine cascade_lake -o checconi2022-2.svg

# Fig. 4: (a) the intensity of an MLP grows with the batch; the level line is the machine's. "32 or
# higher" is so with elements taken as bytes, in bytes from 84 on. (b) Its place on the
# roofline that knows no network, (c) its all-reduce against its products: equal at a batch of 466.7.
# expect along batch: next.OI > OI -- §III: "as batch size increases, the arithmetic intensity also increases"
# expect where name is mlp_in_elements, batch is 32: OI > cascade_lake_flops_fp32_cascade_lake_memory -- §III: "higher than the yellow line (batch size 32 or higher)"
# expect none where batch is 16: OI > cascade_lake_flops_fp32_cascade_lake_memory -- §III: "MLPs with a batch size smaller than 32 would be limited by memory bandwidth"
# expect where batch is 128: OI > cascade_lake_flops_fp32_cascade_lake_memory -- errata: in bytes from 83.25 on
# expect where name is mlp_training_limit, batch is 64: OI < cascade_lake_flops_fp32_cascade_lake_memory -- errata: in bytes from 83.25 on
roofdsl plot curve papers.checconi2022:mlp_in_elements papers.checconi2022:mlp_training_limit --machine cascade_lake -p batch=8..4096:x2 --quantity OI --quantity cascade_lake.flops.fp32/cascade_lake.memory --log2 -o checconi2022-4a.svg
# expect where name is mlp_in_elements, batch is 32: bound is flops -- §III: "would be located on the horizontal portion of the standard Roofline model as shown by Figure 4b"
# expect where batch is 16: bound is memory -- §III: "MLPs with a batch size smaller than 32 would be limited by memory bandwidth"
# expect where bound is flops: performance ~ 4.2 TFLOP/s -- §III: "have the potential to reach the peak FLOPS of the platform"
roofdsl plot roofline papers.checconi2022:mlp_in_elements papers.checconi2022:mlp_training_limit --machine cascade_lake --set cascade_lake.network=1e9x -p batch=8..4096:x2 -o checconi2022-4b.svg
# expect along batch where name is network: next.busy == busy -- §III: "the weights and biases are synchronized across all compute nodes", whatever the batch
# expect across name where batch is 256: network.busy > flops.busy -- §III: "up to batch size 512, it would take more time to do the all-reduce"
# expect across name where batch is 512: flops.busy > network.busy -- errata: the crossover is at 466.7
roofdsl plot breakdown papers.checconi2022:mlp_training_limit --machine cascade_lake -p batch=8..4096:x2 --seconds --log2 -o checconi2022-4c.svg

# Fig. 6: from a batch of 256 on, (a) on the ridgeline, (b) projected times.
# expect along batch: next.MI > MI -- Fig. 6: more products for the same all-reduce
# expect where batch is 256: bound is network -- §III: "any batch size lower than 512 would be network bound"
# expect where batch is 512: MI*OI ~ 350 flop/B within 10% -- §III: "MLP with batch size 512 is indeed on the ridgeline"; 384
# expect where batch is 1024: bound is flops -- §III: "MLPs with batch size 1024 and higher would be compute-bound"
# expect where batch is 4096: bound is flops -- §III: "MLPs with batch size 1024 and higher would be compute-bound"
roofdsl plot ridgeline papers.checconi2022:mlp_training_limit --machine cascade_lake -p batch=256..4096:x2 -o checconi2022-6a.svg
# expect across name where batch is 256: network.busy > flops.busy -- §III: "The bottleneck assessment from the ridgeline plot is confirmed by the timing projections shown in Figure 6b"
# expect across name where batch is 1024: flops.busy > network.busy -- §III: "The bottleneck assessment from the ridgeline plot is confirmed by the timing projections shown in Figure 6b"
# expect across name by batch: flops.busy > memory.busy -- Fig. 6: none is bound by memory
roofdsl plot breakdown papers.checconi2022:mlp_training_limit --machine cascade_lake -p batch=256..4096:x2 --seconds --log2 -o checconi2022-6b.svg
