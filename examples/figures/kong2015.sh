# Kong, Pouchet, Sadayappan, A Roofline-based Performance Estimator for Distributed Matrix-multiply on
# Intel CnC, 2015. What was measured is not printed; these are the model's curves, in bytes. The rate
# of the kernel, 8 GFLOP/s, is chosen so that Eq. 3 gives what the text says of Fig. 15, as
# docs/errata.md explains; `against` stands before what does not follow.

# Fig. 1: a roofline of 16 GFLOPS; the bandwidth is not said, and taken from Table III. Fig. 2 to 4
# are programs.
# expect where what is ceiling, name is matrix.fp32: performance == 16 GFLOP/s -- §II-D: "a machine with 16 GFLOPS of peak performance"
# expect where what is ridge point, name is inter: performance == 1250 MB/s * CAI -- §II-D: from there on "the program performance becomes bounded by the computation peak"
roofdsl plot communication --machine xeon_e5630 --set 'xeon_e5630.kernel=16 GFLOP/s' -o kong2015-1.svg

# Fig. 5 to 8: compute times of Cannon's and Johnson's algorithm for N = 2000 and 8000. What is claimed of
# both algorithms is the same but for 5 x 5 blocks on 32 processes, where Cannon has 25 at work.
# expect where P is 1: flops_busy ~ 2 s within 1e-9% -- Eq. 4: "the product of the number of steps executed by a task and the projected kernel time of the step"
# expect along P: next.flops_busy < flops_busy -- Eq. 4 and 16: each process has fewer steps where there are more
# expect across name by P: cannon_B_200.flops_busy ~ ceil(1000/cannon_B_200.P) * 2*200^3 * 1 flop / 8 GFLOP/s within 1e-9% -- §V-B: "The curves on both implementations are identical for the same problem size"
# expect across name by P: cannon_B_400.flops_busy ~ ceil(125/min(cannon_B_400.P, 25)) * 2*400^3 * 1 flop / 8 GFLOP/s within 1e-9% -- §IV-C: "the possibility of having fewer blocks than processes"
roofdsl plot breakdown cannon --machine xeon_e5630 -p N=2000 -p P=1,4,8,16,32 -p B=200,400 --resource flops --seconds --log2 -o kong2015-5.svg
# expect where P is 1: flops_busy ~ 128 s within 1e-9% -- Eq. 4: "the product of the number of steps executed by a task and the projected kernel time of the step"
# expect along P: next.flops_busy < flops_busy -- Eq. 4 and 16: each process has fewer steps where there are more
# expect across name by P: cannon_B_800.flops_busy ~ ceil(1000/cannon_B_800.P) * 2*800^3 * 1 flop / 8 GFLOP/s within 1e-9% -- §V-B: "The curves on both implementations are identical for the same problem size"
# expect across name by P: cannon_B_1600.flops_busy ~ ceil(125/min(cannon_B_1600.P, 25)) * 2*1600^3 * 1 flop / 8 GFLOP/s within 1e-9% -- §IV-C: "the possibility of having fewer blocks than processes"
roofdsl plot breakdown cannon --machine xeon_e5630 -p N=8000 -p P=1,4,8,16,32 -p B=800,1600 --resource flops --seconds --log2 -o kong2015-6.svg
# expect where P is 1: flops_busy ~ 2 s within 1e-9% -- Eq. 4: "the product of the number of steps executed by a task and the projected kernel time of the step"
# expect along P: next.flops_busy < flops_busy -- Eq. 4 and 16: each process has fewer steps where there are more
# expect across name by P: johnson_B_200.flops_busy ~ ceil(1000/johnson_B_200.P) * 2*200^3 * 1 flop / 8 GFLOP/s within 1e-9% -- §V-B: "The curves on both implementations are identical for the same problem size"
# expect across name by P: johnson_B_400.flops_busy ~ ceil(125/min(johnson_B_400.P, 125)) * 2*400^3 * 1 flop / 8 GFLOP/s within 1e-9% -- §V-B: "The curves on both implementations are identical for the same problem size"
roofdsl plot breakdown johnson --machine xeon_e5630 -p N=2000 -p P=1,4,8,16,32 -p B=200,400 --resource flops --seconds --log2 -o kong2015-7.svg
# expect where P is 1: flops_busy ~ 128 s within 1e-9% -- Eq. 4: "the product of the number of steps executed by a task and the projected kernel time of the step"
# expect along P: next.flops_busy < flops_busy -- Eq. 4 and 16: each process has fewer steps where there are more
# expect across name by P: johnson_B_800.flops_busy ~ ceil(1000/johnson_B_800.P) * 2*800^3 * 1 flop / 8 GFLOP/s within 1e-9% -- §V-B: "The curves on both implementations are identical for the same problem size"
# expect across name by P: johnson_B_1600.flops_busy ~ ceil(125/min(johnson_B_1600.P, 125)) * 2*1600^3 * 1 flop / 8 GFLOP/s within 1e-9% -- §V-B: "The curves on both implementations are identical for the same problem size"
roofdsl plot breakdown johnson --machine xeon_e5630 -p N=8000 -p P=1,4,8,16,32 -p B=800,1600 --resource flops --seconds --log2 -o kong2015-8.svg

# Fig. 9 to 12: communication times of Cannon's and Johnson's algorithm for N = 2000 and 8000.
# expect where P is 1: network_busy == 0 s -- Eq. 17 and 23: "(\min(P, c_{node}) - 1)" is 0
# expect along P: P >= 8 or next.network_busy > network_busy -- §IV-B: "a contention factor representing the number of cores accessing the shared memory"
# expect along P: P < 8 or next.network_busy < network_busy -- §IV-B: "the factor becomes the number of cores per node", more processes do not add to it, and have fewer steps each
# expect across name by P: cannon_B_400.network_busy <= cannon_B_200.network_busy -- §V-C: not useful "unless incrementing the block size"
roofdsl plot breakdown cannon --machine xeon_e5630 -p N=2000 -p P=1,4,8,16,32 -p B=200,400 --resource network --seconds --log2 -o kong2015-9.svg
# expect where P is 1: network_busy == 0 s -- Eq. 17 and 23: "(\min(P, c_{node}) - 1)" is 0
# expect along P: P >= 8 or next.network_busy > network_busy -- §IV-B: "a contention factor representing the number of cores accessing the shared memory"
# expect along P: P < 8 or next.network_busy < network_busy -- §IV-B: "the factor becomes the number of cores per node", more processes do not add to it, and have fewer steps each
# expect across name by P: cannon_B_1600.network_busy <= cannon_B_800.network_busy -- §V-C: not useful "unless incrementing the block size"
roofdsl plot breakdown cannon --machine xeon_e5630 -p N=8000 -p P=1,4,8,16,32 -p B=800,1600 --resource network --seconds --log2 -o kong2015-10.svg
# expect where P is 1: network_busy == 0 s -- Eq. 17 and 23: "(\min(P, c_{node}) - 1)" is 0
# expect along P: P >= 8 or next.network_busy > network_busy -- §IV-B: "a contention factor representing the number of cores accessing the shared memory"
# expect along P: P < 16 or next.network_busy < network_busy -- §IV-B: "the factor becomes the number of cores per node", more processes do not add to it, and have fewer steps each
# expect along P: P != 8 or next.network_busy > network_busy -- Eq. 24: between nodes there is communication only "P > c_{node}"
# expect across name by P: johnson_B_400.network_busy <= johnson_B_200.network_busy -- §V-C: not useful "unless incrementing the block size"
roofdsl plot breakdown johnson --machine xeon_e5630 -p N=2000 -p P=1,4,8,16,32 -p B=200,400 --resource network --seconds --log2 -o kong2015-11.svg
# expect where P is 1: network_busy == 0 s -- Eq. 17 and 23: "(\min(P, c_{node}) - 1)" is 0
# expect along P: P >= 8 or next.network_busy > network_busy -- §IV-B: "a contention factor representing the number of cores accessing the shared memory"
# expect along P: P < 16 or next.network_busy < network_busy -- §IV-B: "the factor becomes the number of cores per node", more processes do not add to it, and have fewer steps each
# expect along P: P != 8 or next.network_busy > network_busy -- Eq. 24: between nodes there is communication only "P > c_{node}"
# expect across name by P: johnson_B_1600.network_busy <= johnson_B_800.network_busy -- §V-C: not useful "unless incrementing the block size"
roofdsl plot breakdown johnson --machine xeon_e5630 -p N=8000 -p P=1,4,8,16,32 -p B=800,1600 --resource network --seconds --log2 -o kong2015-12.svg

# Fig. 13 to 16: bounds of Cannon's and Johnson's algorithm for N = 2000 and 8000.
# expect estimate ~ 1/(1/flops_bound + 1/network_bound) within 1e-9% -- §V-C: "the estimated final performance ($T = T_{comp} + T_{comm}$"
# expect where Configuration is B200 P16: network_bound < flops_bound -- against §V-C: "both algorithms are close to be bandwidth bound": Cannon is past it
# expect where Configuration is B200 P32: network_bound < flops_bound -- against §V-C: "both algorithms are close to be bandwidth bound": Cannon is past it
# expect 8 of 10: flops_bound < network_bound -- §V-C: of these two alone it says "close to be bandwidth bound"
roofdsl plot perfbound cannon --machine xeon_e5630 -p N=2000 -p B=200,400 -p P=1,4,8,16,32 -o kong2015-13.svg
# expect estimate ~ 1/(1/flops_bound + 1/network_bound) within 1e-9% -- §V-C: "the estimated final performance ($T = T_{comp} + T_{comm}$"
# expect flops_bound < network_bound -- §V-C: "A similar reasoning can be employed": blocks are larger, so none is bound by bandwidth
roofdsl plot perfbound cannon --machine xeon_e5630 -p N=8000 -p B=800,1600 -p P=1,4,8,16,32 -o kong2015-14.svg
# expect estimate ~ 1/(1/flops_bound + 1/network_bound) within 1e-9% -- §V-C: "the estimated final performance ($T = T_{comp} + T_{comm}$"
# expect where Configuration is B200 P16: estimate > 60 GFLOP/s and estimate < 70 GFLOP/s -- §V-C: "between 60-70 GFLOPS on 16 cores"
# expect where Configuration is B200 P32: estimate > 130 GFLOP/s and estimate < 140 GFLOP/s -- §V-C: "130-140 on 32 cores"
# expect where Configuration is B200 P16: network_bound < 1.2*flops_bound -- §V-C: "both algorithms are close to be bandwidth bound"
# expect where Configuration is B200 P32: network_bound < 1.2*flops_bound -- §V-C: "both algorithms are close to be bandwidth bound"
# expect where Configuration is B200 P16: flops_bound < network_bound -- §V-C: "can be increased by improving the kernel computation time"
# expect where Configuration is B200 P32: flops_bound < network_bound -- §V-C: "can be increased by improving the kernel computation time"
roofdsl plot perfbound johnson --machine xeon_e5630 -p N=2000 -p B=200,400 -p P=1,4,8,16,32 -o kong2015-15.svg
# expect estimate ~ 1/(1/flops_bound + 1/network_bound) within 1e-9% -- §V-C: "the estimated final performance ($T = T_{comp} + T_{comm}$"
# expect flops_bound < network_bound -- §VI: "This program is still compute bound for N=8000", so before as well
roofdsl plot perfbound johnson --machine xeon_e5630 -p N=8000 -p B=800,1600 -p P=1,4,8,16,32 -o kong2015-16.svg

# Fig. 17 to 20: the same with a block product four times as fast.
# expect 6 of 10: network_bound < flops_bound -- §VI: "mostly bandwidth bound for N=2000"
# expect where Configuration is B200 P1: flops_bound < network_bound -- §VI: "with the exceptions of P=1"
# expect where Configuration is B400 P1: flops_bound < network_bound -- §VI: "with the exceptions of P=1"
# expect where Configuration is B200 P4: flops_bound < network_bound -- against §VI: "with the exceptions of P=1": P = 4 is one, too
# expect where Configuration is B400 P4: flops_bound < network_bound -- against §VI: "with the exceptions of P=1": P = 4 is one, too
roofdsl plot perfbound cannon --machine xeon_e5630 --set xeon_e5630.kernel=4x -p N=2000 -p B=200,400 -p P=1,4,8,16,32 -o kong2015-17.svg
# expect where Configuration is B800 P16: network_bound < flops_bound -- against §VI: "close to be bandwidth bound for N=8000 on P=16 and P=32": past it
# expect where Configuration is B1600 P16: network_bound > flops_bound and network_bound < 1.3*flops_bound -- §VI: "close to be bandwidth bound for N=8000 on P=16 and P=32"
# expect where Configuration is B800 P32: network_bound < flops_bound -- against §VI: "close to be bandwidth bound for N=8000 on P=16 and P=32": past it
# expect where Configuration is B1600 P32: network_bound > flops_bound and network_bound < 1.3*flops_bound -- §VI: "close to be bandwidth bound for N=8000 on P=16 and P=32"
# expect 8 of 10: flops_bound < network_bound -- §VI: "close to be bandwidth bound for N=8000"
roofdsl plot perfbound cannon --machine xeon_e5630 --set xeon_e5630.kernel=4x -p N=8000 -p B=800,1600 -p P=1,4,8,16,32 -o kong2015-18.svg
# expect 5 of 10: network_bound < flops_bound -- §VI: "partially bandwidth bound for N=2000"
roofdsl plot perfbound johnson --machine xeon_e5630 --set xeon_e5630.kernel=4x -p N=2000 -p B=200,400 -p P=1,4,8,16,32 -o kong2015-19.svg
# expect flops_bound < network_bound -- §VI: "This program is still compute bound for N=8000"
# expect where Configuration is B800 P16: network_bound < 1.2*flops_bound -- §VI: "narrows the gap w.r.t. the bandwidth curve"
# expect where Configuration is B800 P32: network_bound < 1.2*flops_bound -- §VI: "narrows the gap w.r.t. the bandwidth curve"
roofdsl plot perfbound johnson --machine xeon_e5630 --set xeon_e5630.kernel=4x -p N=8000 -p B=800,1600 -p P=1,4,8,16,32 -o kong2015-20.svg
