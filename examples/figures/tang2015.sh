# Tang, Hu, Barrett, PerDome: A Performance Model for Heterogeneous Computing Systems, 2015.
# The bars of Fig. 2(e) and 3(e) are measured and not printed: beside each map are the bounds, and
# --measured performances.csv (columns kernel and performance) adds bars. Fig. 1 is a drawing.

# Fig. 2: the synthetic kernel, I = 129/76 flop/B, on the four systems. PowAdd 128 flop for 64 B on
# the GPU, VecAdd 1 flop for 12 B on the CPU.
# expect where name is p-DP: bound ~ 128 GFLOP/s -- Model Validation: "performance upper bound (128 GFLOPS)"
# expect where name is CP: bound ~ 136 GFLOP/s -- Model Validation: "performance upper bound (136 GFLOPS)"
# expect across name: CP.bound/p_DP.bound ~ 1.06 -- Model Validation: "CP has 14% and 17% higher predicted performance upper bounds"; it is 6 %
# expect across name: p_DP.bound ~ CPU_only.bound + GPU_only.bound within 0.001% -- Model Validation: "The performance upper bounds of p-DP is the aggregation of the ones of CPU-only and GPU-only"
roofdsl plot perdome --machine i7_gtx750 --intensity 1.697 --partition CPU-only=1.697,0 --partition GPU-only=0,1.697 --partition p-DP=1.697,1.697 --partition CP=0.0833,2 -o tang2015-2a.svg
# expect across name: CP.bound/p_DP.bound ~ 0.38 -- Model Validation: "CP are 61% and 65% lower than p-DP"; it is 61.8 %
# expect across name: p_DP.bound ~ CPU_only.bound + GPU_only.bound within 0.001% -- Model Validation: "The performance upper bounds of p-DP is the aggregation of the ones of CPU-only and GPU-only"
roofdsl plot perdome --machine i7_titan --intensity 1.697 --partition CPU-only=1.697,0 --partition GPU-only=0,1.697 --partition p-DP=1.697,1.697 --partition CP=0.0833,2 -o tang2015-2b.svg
# expect across name: CP.bound/p_DP.bound ~ 1.14 -- Model Validation: "CP has 14% and 17% higher predicted performance upper bounds"; it is 14 %, not 17
# expect across name: p_DP.bound ~ CPU_only.bound + GPU_only.bound within 0.001% -- Model Validation: "The performance upper bounds of p-DP is the aggregation of the ones of CPU-only and GPU-only"
roofdsl plot perdome --machine i3_gtx750 --intensity 1.697 --partition CPU-only=1.697,0 --partition GPU-only=0,1.697 --partition p-DP=1.697,1.697 --partition CP=0.0833,2 -o tang2015-2c.svg
# expect across name: CP.bound/p_DP.bound ~ 0.35 -- Model Validation: "CP are 61% and 65% lower than p-DP"
# expect across name: p_DP.bound ~ CPU_only.bound + GPU_only.bound within 0.001% -- Model Validation: "The performance upper bounds of p-DP is the aggregation of the ones of CPU-only and GPU-only"
roofdsl plot perdome --machine i3_titan --intensity 1.697 --partition CPU-only=1.697,0 --partition GPU-only=0,1.697 --partition p-DP=1.697,1.697 --partition CP=0.0833,2 -o tang2015-2d.svg

# Fig. 3: the assembly stage of miniFE, I = 4.4 flop/B, partitions of Table 2.
# expect across name: CP1.bound/p_DP.bound ~ 1.07 -- Model Validation: "on i7+GTX750, CP1 has 7% higher predicted performance upper bound"
# expect across name: p_DP.bound ~ CPU_only.bound + GPU_only.bound within 0.001% -- Model Validation: "The performance upper bounds of p-DP is the aggregation of the ones of CPU-only and GPU-only"
roofdsl plot perdome --machine i7_gtx750 --intensity 4.4 --partition CPU-only=4.4,0 --partition GPU-only=0,4.4 --partition p-DP=4.4,4.4 --partition CP1=0.4,5.4 --partition CP2=1.5,9.2 -o tang2015-3a.svg
# expect across name: p_DP.bound > CP1.bound -- Model Validation: "p-DP is faster than CP1 and CP1 is faster than CP2"
# expect across name: CP1.bound > CP2.bound -- Model Validation: "p-DP is faster than CP1 and CP1 is faster than CP2"
# expect across name: p_DP.bound ~ CPU_only.bound + GPU_only.bound within 0.001% -- Model Validation: "The performance upper bounds of p-DP is the aggregation of the ones of CPU-only and GPU-only"
roofdsl plot perdome --machine i7_titan --intensity 4.4 --partition CPU-only=4.4,0 --partition GPU-only=0,4.4 --partition p-DP=4.4,4.4 --partition CP1=0.4,5.4 --partition CP2=1.5,9.2 -o tang2015-3b.svg
# expect across name: p_DP.bound > CP1.bound -- Model Validation: "p-DP is faster than CP1 and CP1 is faster than CP2"
# expect across name: CP1.bound > CP2.bound -- Model Validation: "p-DP is faster than CP1 and CP1 is faster than CP2"
# expect across name: p_DP.bound ~ CPU_only.bound + GPU_only.bound within 0.001% -- Model Validation: "The performance upper bounds of p-DP is the aggregation of the ones of CPU-only and GPU-only"
roofdsl plot perdome --machine i3_gtx750 --intensity 4.4 --partition CPU-only=4.4,0 --partition GPU-only=0,4.4 --partition p-DP=4.4,4.4 --partition CP1=0.4,5.4 --partition CP2=1.5,9.2 -o tang2015-3c.svg
# expect across name: p_DP.bound > CP1.bound -- Model Validation: "p-DP is faster than CP1 and CP1 is faster than CP2"
# expect across name: CP1.bound > CP2.bound -- Model Validation: "p-DP is faster than CP1 and CP1 is faster than CP2"
# expect across name: p_DP.bound ~ CPU_only.bound + GPU_only.bound within 0.001% -- Model Validation: "The performance upper bounds of p-DP is the aggregation of the ones of CPU-only and GPU-only"
roofdsl plot perdome --machine i3_titan --intensity 4.4 --partition CPU-only=4.4,0 --partition GPU-only=0,4.4 --partition p-DP=4.4,4.4 --partition CP1=0.4,5.4 --partition CP2=1.5,9.2 -o tang2015-3d.svg
