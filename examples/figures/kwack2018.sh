# Kwack, Arnold, Mendes, Bauer, Roofline Analysis with CrayPat and Roofline-based Performance
# Projections for a Future Architecture, 2018. What CrayPat counted is drawn there but not printed,
# save for Tables V, VI, VIII and XI: where a figure shows only that, the command draws its frame,
# the node's roofs, and --measured kernels.csv (docs/figures.md) puts your own counts on it.

# Fig. 1: the rooflines of a Blue Waters XE node.
roofdsl plot roofline --machine blue_waters_xe -o kwack2018-1.svg

# Fig. 2 and 3 show how much counts vary, which no model says. Fig. 4 and 5: counted bytes of the
# geometric series; here is what they are held against, the intensities by the exact bytes.
roofdsl plot roofline geometric_series --machine blue_waters_xe -p n=1..29 -p m=4096 -p dtype=fp64,fp32 --title "Geometric series, exact" -o kwack2018-4.svg
roofdsl plot roofline geometric_series --machine blue_waters_xe -p n=1..29 -p m=64,256,1024,4096 -p dtype=fp64,fp32 --title "Geometric series, exact" -o kwack2018-5.svg

# Fig. 6 and 8: counted over exact bytes and intensities of the stencils, by their statistics
# (Tables V and VI). Fig. 7: their counted flops agree; here are the exact intensities.
roofdsl plot predicted --measured "$HERE/kwack2018_bytes.csv" --title "Counted over exact bytes" -o kwack2018-6.svg
roofdsl plot roofline jacobi2d jacobi3d --machine blue_waters_xe -p n=128,256,416 -p dtype=fp64,fp32 --level DRAM --title "Stencils, exact" -o kwack2018-7.svg
roofdsl plot predicted --measured "$HERE/kwack2018_intensities.csv" --title "Derived over exact intensities" -o kwack2018-8.svg

# Fig. 9 is a screenshot of another tool.

# Fig. 10: 5-point stencils from 128² to 8192² points, as predicted: in L2, then in DRAM. The paper
# takes 256² in double precision, 1 MiB without its halo, to fit in L2.
roofdsl plot roofline jacobi2d --machine blue_waters_xe -p n=128..8192:x2 -p halo=0 -p dtype=fp64,fp32 -o kwack2018-10.svg

# Fig. 11: 7-point stencils from 16³ to 416³.
roofdsl plot roofline jacobi3d --machine blue_waters_xe -p n=16,32,64,128,256,416 -p dtype=fp64,fp32 -o kwack2018-11.svg

# Fig. 12 to 17: benchmarks, solvers and an application.
roofdsl plot roofline --machine blue_waters_xe --title "HPCG on 4 XE nodes" -o kwack2018-12.svg
roofdsl plot roofline --machine blue_waters_xe --title "HPGMG-FV on 16 XE nodes" -o kwack2018-13.svg
roofdsl plot roofline --machine blue_waters_xe --title "PETSc tfqmr on 1 or 32 XE nodes" -o kwack2018-14.svg
roofdsl plot roofline --machine blue_waters_xe --title "MUMPS on 1 or 32 XE nodes" -o kwack2018-15.svg
roofdsl plot roofline --machine blue_waters_xe --title "SuperLU on 1 or 32 XE nodes" -o kwack2018-16.svg
roofdsl plot roofline --machine blue_waters_xe --title "SETSM on 1 XE node" -o kwack2018-17.svg

# Tables VIII and XI, which go with Fig. 17: SETSM's groups, and its projected times.
roofdsl plot breakdown kwack2018:setsm --machine blue_waters_xe -o kwack2018-table-viii.svg
roofdsl plot predicted --measured "$HERE/kwack2018_setsm.csv" --title "SETSM, projected" -o kwack2018-table-xi.svg

# Fig. 18 to 24: Fig. 10 to 16 with the bytes that L1 serves.
roofdsl plot roofline jacobi2d --machine blue_waters_xe -p n=128..8192:x2 -p halo=0 -p dtype=fp64,fp32 --level L1 -o kwack2018-18.svg
roofdsl plot roofline jacobi3d --machine blue_waters_xe -p n=16,32,64,128,256,416 -p dtype=fp64,fp32 --level L1 -o kwack2018-19.svg
roofdsl plot roofline --machine blue_waters_xe --level L1 --title "HPCG on 4 XE nodes, L1" -o kwack2018-20.svg
roofdsl plot roofline --machine blue_waters_xe --level L1 --title "HPGMG-FV on 16 XE nodes, L1" -o kwack2018-21.svg
roofdsl plot roofline --machine blue_waters_xe --level L1 --title "PETSc tfqmr on 1 or 32 XE nodes, L1" -o kwack2018-22.svg
roofdsl plot roofline --machine blue_waters_xe --level L1 --title "MUMPS on 1 or 32 XE nodes, L1" -o kwack2018-23.svg
roofdsl plot roofline --machine blue_waters_xe --level L1 --title "SuperLU on 1 or 32 XE nodes, L1" -o kwack2018-24.svg
