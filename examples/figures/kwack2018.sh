# Kwack, Arnold, Mendes, Bauer, Roofline Analysis with CrayPat and Roofline-based Performance
# Projections for a Future Architecture, 2018. What CrayPat counted is drawn there but not printed,
# save for Tables V, VI, VIII and XI; docs/papers.md says which figures that leaves out. --measured
# kernels.csv (docs/figures.md) puts your own counts on the node's roofs.

# Fig. 1: the rooflines of a Blue Waters XE node, with that of a NUMA domain, which §V uses.
# expect where what is ceiling, name is fp32: performance ~ 2*228.2 GFLOP/s within 2% -- §II: "SP peak flop-rates are generally twice DP peak flop-rates with vectorization"
# expect where what is ceiling, name is fp32_add: performance ~ 2*117.8 GFLOP/s within 2% -- §II: "(i.e., Vector FMA and Vector Add peaks)"
# expect where what is ceiling, name is fp32_scalar: performance ~ 64.7 GFLOP/s within 2% -- §II: "SP peaks are similar to DP peaks without vectorization"
roofdsl plot roofline --machine blue_waters_xe -o kwack2018-1.svg

# Fig. 4: the exact bytes, to which counted ones are compared: arrays of 4096² for 32 ranks.
# expect along n: next.memory == memory -- §III-A: "requires only 2 memory references"
# expect where name is geometric_series, dtype = fp64: memory == 32*4096^2 * 16 B -- §III-A: "data movements for a geometric series with SP and DP are 8 bytes and 16 bytes"
# expect where name is geometric_series, dtype = fp32: memory == 32*4096^2 * 8 B -- the same
roofdsl plot curve geometric_series --machine blue_waters_xe -p n=1..29 -p m=4096 -p dtype=fp64,fp32 --quantity memory --title "Geometric series, exact bytes" -o kwack2018-4.svg

# Fig. 6 and 8: counted over exact bytes and derived over exact intensities of the stencils, by their
# statistics (Tables V and VI).
# expect where name is L1_DCA: counted >= 1.798 and counted <= 38.3 -- §III-B: "is between 1.798 and 38.3"
# expect where name is DCR_GOOD: counted >= 0.569 and counted <= 1.281 -- §III-B: "is from 0.569 to 1.281"
# expect across name: abs(DCR_GOOD.error) < abs(L1_DCA.error) -- §III-B: "more precise and accurate than L1_DCA measurements"
roofdsl plot predicted --measured "$HERE/kwack2018_bytes.csv" --title "Counted over exact bytes" -o kwack2018-6.svg
# expect where name is DCR_GOOD, group is geometric mean: error ~ 23.1 -- §III-B: "is 23.1% higher than the exact CIs"
# expect where name is L1_DCA, group is geometric mean: derived ~ 1/6 within 3% -- §III-B: "is around one sixth of the exact CIs"
# expect where name is L1_DCA: derived < 1 -- Appendix A: "L1_DCA always overestimates the byte transfer"
roofdsl plot predicted --measured "$HERE/kwack2018_intensities.csv" --title "Derived over exact intensities" -o kwack2018-8.svg

# Fig. 7: the exact flops, with which the counted ones agree: (a) 2D, (b) 3D, for 32 ranks.
# expect flops == 32*4*n^2 * 1 flop -- Table IV: "FLOPs = 4*n*n*niter"
roofdsl plot curve jacobi2d --machine blue_waters_xe -p n=2048,4096,8192 --quantity flops --title "2D stencils, exact flops" -o kwack2018-7a.svg
# expect flops == 32*6*n^3 * 1 flop -- Table IV: "FLOPs = $6^nn^nn^niter$"
roofdsl plot curve jacobi3d --machine blue_waters_xe -p n=128,256,416 --quantity flops --title "3D stencils, exact flops" -o kwack2018-7b.svg

# Fig. 10: 5-point stencils from 128² to 8192² points, over the bytes from behind L1, which DCR_GOOD
# counts. The paper takes 256² in double precision, 1 MiB without its halo, to fit in L2.
# expect where n is 128: bound is memory.L2 -- §IV-A: "the performance is bounded by the L2 data cache bandwidth"
# expect where n is 256: bound is memory.L2 -- §IV-A: "$(256+2)^2$ for DP and SP"
# expect where n is 512: bound is memory -- §IV-A: "In other cases, the kernel performance is bounded by the DRAM bandwidth"
# expect where n is 1024: bound is memory -- the same
# expect where n is 2048: bound is memory -- the same
# expect where n is 4096: bound is memory -- the same
# expect where n is 8192: bound is memory -- the same
# expect where name is jacobi2d, dtype = fp64: OI ~ 0.1 flop/B -- §III-B: "CIs for DP and SP are 0.1 and 0.2 FLOPS/byte"
# expect where name is jacobi2d, dtype = fp32: OI ~ 0.2 flop/B -- the same
roofdsl plot roofline jacobi2d --machine blue_waters_xe -p n=128..8192:x2 -p halo=0 -p dtype=fp64,fp32 --level L2 -o kwack2018-10.svg

# Fig. 11: 7-point stencils from 16³ to 416³.
# expect where n is 16: bound is memory.L2 -- §IV-A: "is bounded by the L2 data cache bandwidth, since the required array size for the kernel is less than the L2 data cache size"
# expect where n is 32: bound is memory.L2 -- the same
# expect where n is 64: bound is memory -- §IV-A: "For large stencils (e.g., $(64+2)^3$ to $(416+2)^3$), the performance is bounded by the DRAM bandwidth"
# expect where n is 128: bound is memory -- the same
# expect where n is 256: bound is memory -- the same
# expect where n is 416: bound is memory -- the same
# expect where name is jacobi3d, dtype = fp64: OI ~ 0.1071 flop/B -- §III-B: "are 0.1071 and 0.2143 in FLOPS/byte"
# expect where name is jacobi3d, dtype = fp32: OI ~ 0.2143 flop/B -- the same
roofdsl plot roofline jacobi3d --machine blue_waters_xe -p n=16,32,64,128,256,416 -p dtype=fp64,fp32 --level L2 -o kwack2018-11.svg

# Fig. 12: HPCG, from 16³ to 128³ points a rank; each of the four nodes does the same.
# expect along n: next.OI ~ OI within 1e-9% -- §IV-B: "In all cases, the DCR_GOOD-based CIs are similar to each other"
# expect bound is memory -- §IV-B: "the performance is bounded by DRAM bandwidth"
# expect along n: next.performance ~ performance within 1e-9% -- §IV-B: "We cannot observe cache effect for small stencils"
roofdsl plot roofline hpcg --machine blue_waters_xe -p n=16,32,64,128 --level L2 --title "HPCG, on an XE node" -o kwack2018-12.svg

# Fig. 14: tfqmr with a Schwarz preconditioner, 16 ranks on a node, a unit and its 2 MB of L2 each.
# How many nonzeros a row has is not printed: 27 are chosen.
# expect along rows: next.OI ~ OI within 1e-9% -- §IV-C: "All cases show pretty similar CI values to each other"
# expect along rows: next.performance <= performance -- §IV-C: "Due to cache effects, small inputs yield higher performance per node"
# expect where rows is 10000: bound is memory.L2 -- the cache that holds it
roofdsl plot roofline tfqmr --machine blue_waters_xe -p rows=10000,83000,684000,2000000 -p nonzeros=27 -p ranks=16 -p "L2=2 MiB" --level L2 --title "PETSc tfqmr on an XE node, 27 nonzeros a row" -o kwack2018-14.svg

# Fig. 15: a sparse LU by fronts, as MUMPS does it, of a cube with about as many unknowns as the paper's
# matrices (22³ is 10 K, 44³ 85 K, 88³ 681 K, 126³ 2 M), which are not given; 16 ranks on a node.
# expect along side: next.OI > OI -- §IV-C: "the corresponding computational intensity value also increases"
# expect where name is sparse_lu, nodes = 1: performance ~ 228.2 GFLOP/s -- not shown: §IV-C has that "the per-node performance increases accordingly"; here all are at the peak
# expect where name is sparse_lu, nodes = 32, side is 22: bound is memory -- the least of the shared ones; the others are at the peak, too
# expect across name by side where side is 88: sparse_lu_nodes_32.OI < sparse_lu_nodes_1.OI -- §IV-C: "the computational intensity on 32 XE nodes is lower than on 1 XE node"
roofdsl plot roofline sparse_lu --machine blue_waters_xe -p side=22,44,88,126 -p nodes=1,32 -p ranks=16 --level DRAM --title "Sparse LU by fronts, on an XE node of 1 or 32" -o kwack2018-15.svg

# Tables VIII and XI, which go with Fig. 17: SETSM's groups, and its projected times.
# expect where step is main: bound is memory.NUMA -- §V: "DRAM bandwidth per NUMA domain for the maximum bandwidth of the serial processes"
# expect 3 of 4: bound is memory.DRAM -- §V: "we assumed flop-rates of all groups are bounded by the DRAM bandwidth"
# expect where step is VLL: time ~ 997.6 s -- Table VIII: "U/VLL 997.6 33.1"; a share of the four groups here, without the others
# expect where step is main: time ~ 761.3 s -- Table VIII: "U/main 761.3 25.3"
# expect where step is OT: time ~ 757.8 s -- Table VIII: "U/OT 757.8 25.2"
# expect where step is VLL_B: time ~ 31.1 s -- Table VIII: "U/VLL_B 31.1 1.0"
roofdsl plot breakdown kwack2018:setsm --machine blue_waters_xe --title "SETSM on an XE node: shares of its four groups" -o kwack2018-table-viii.svg
# expect error >= 7 and error < 10.5 -- §V: "is from 7% to 10%"
roofdsl plot predicted --measured "$HERE/kwack2018_setsm.csv" --title "SETSM, projected" -o kwack2018-table-xi.svg

# Fig. 18 to 20 and 22: Fig. 10 to 12 and 14 with what L1 serves. L1_DCA takes each access for a
# vector of 16 B, and so is every access of code without vectors. L1 then bounds the smallest grids in
# single precision; the paper draws the runs of Fig. 10 and 11 again, at their performance.
# expect where name is jacobi2d, dtype = fp64: OI ~ 0.05 flop/B within 1e-9% -- Appendix A: "L1_DCA-based CI values are much smaller"
# expect where name is jacobi2d, dtype = fp32: OI ~ 0.05 flop/B within 1e-9% -- the same
roofdsl plot roofline jacobi2d --machine blue_waters_xe -p n=128..8192:x2 -p halo=0 -p dtype=fp64,fp32 -p "access=16 B" --level L1 -o kwack2018-18.svg
# expect where name is jacobi3d, dtype = fp64: OI ~ 0.05357 flop/B -- Appendix A: "L1_DCA-based CI values are much smaller"
# expect where name is jacobi3d, dtype = fp32: OI ~ 0.05357 flop/B -- the same
roofdsl plot roofline jacobi3d --machine blue_waters_xe -p n=16,32,64,128,256,416 -p dtype=fp64,fp32 -p "access=16 B" --level L1 -o kwack2018-19.svg
# expect OI ~ 0.098 flop/B -- Appendix A: "L1_DCA-based CI values are much smaller"; 0.158 in Fig. 12
roofdsl plot roofline hpcg --machine blue_waters_xe -p n=16,32,64,128 --level L1 --title "HPCG on an XE node, L1" -o kwack2018-20.svg
# expect OI ~ 0.095 flop/B -- Appendix A: "L1_DCA-based CI values are much smaller"; 0.144 in Fig. 14
roofdsl plot roofline tfqmr --machine blue_waters_xe -p rows=10000,83000,684000,2000000 -p nonzeros=27 -p ranks=16 -p "L2=2 MiB" --level L1 --title "PETSc tfqmr on an XE node, 27 nonzeros a row, L1" -o kwack2018-22.svg
