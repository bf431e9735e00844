# Tang, Hu, Barrett, PerDome: A Performance Model for Heterogeneous Computing Systems, 2015.
# The bars of Fig. 2(e) and 3(e) are measured and not printed: beside each map are the bounds, and
# --measured performances.csv (columns kernel and performance) adds bars. Fig. 1 is a drawing.

# Fig. 2: the synthetic kernel, I = 129/76 flop/B, on the four systems. PowAdd 128 flop for 64 B on
# the GPU, VecAdd 1 flop for 12 B on the CPU.
roofdsl plot perdome --machine i7_gtx750 --intensity 1.697 --partition CPU-only=1.697,0 --partition GPU-only=0,1.697 --partition p-DP=1.697,1.697 --partition CP=0.0833,2 -o tang2015-2a.svg
roofdsl plot perdome --machine i7_titan --intensity 1.697 --partition CPU-only=1.697,0 --partition GPU-only=0,1.697 --partition p-DP=1.697,1.697 --partition CP=0.0833,2 -o tang2015-2b.svg
roofdsl plot perdome --machine i3_gtx750 --intensity 1.697 --partition CPU-only=1.697,0 --partition GPU-only=0,1.697 --partition p-DP=1.697,1.697 --partition CP=0.0833,2 -o tang2015-2c.svg
roofdsl plot perdome --machine i3_titan --intensity 1.697 --partition CPU-only=1.697,0 --partition GPU-only=0,1.697 --partition p-DP=1.697,1.697 --partition CP=0.0833,2 -o tang2015-2d.svg

# Fig. 3: the assembly stage of miniFE, I = 4.4 flop/B, partitions of Table 2.
roofdsl plot perdome --machine i7_gtx750 --intensity 4.4 --partition CPU-only=4.4,0 --partition GPU-only=0,4.4 --partition p-DP=4.4,4.4 --partition CP1=0.4,5.4 --partition CP2=1.5,9.2 -o tang2015-3a.svg
roofdsl plot perdome --machine i7_titan --intensity 4.4 --partition CPU-only=4.4,0 --partition GPU-only=0,4.4 --partition p-DP=4.4,4.4 --partition CP1=0.4,5.4 --partition CP2=1.5,9.2 -o tang2015-3b.svg
roofdsl plot perdome --machine i3_gtx750 --intensity 4.4 --partition CPU-only=4.4,0 --partition GPU-only=0,4.4 --partition p-DP=4.4,4.4 --partition CP1=0.4,5.4 --partition CP2=1.5,9.2 -o tang2015-3c.svg
roofdsl plot perdome --machine i3_titan --intensity 4.4 --partition CPU-only=4.4,0 --partition GPU-only=0,4.4 --partition p-DP=4.4,4.4 --partition CP1=0.4,5.4 --partition CP2=1.5,9.2 -o tang2015-3d.svg
