# Kwack, Arnold, Mendes, Bauer, Roofline Analysis with CrayPat and Roofline-based Performance
# Projections for a Future Architecture, 2018. The points of Fig. 4 to 8 and 12 to 17 are counters'
# readings that the paper draws but does not print.

# Fig. 1: the rooflines of a Blue Waters XE node.
roofdsl plot roofline --machine blue_waters_xe -o kwack2018-1.svg

# Fig. 10: 5-point stencils from 128² to 8192² points, as predicted: in L2, then in DRAM.
roofdsl plot roofline jacobi2d --machine blue_waters_xe -p n=128..8192:x2 -o kwack2018-10.svg

# Fig. 11: 7-point stencils from 16³ to 416³.
roofdsl plot roofline jacobi3d --machine blue_waters_xe -p n=16,32,64,128,256,416 -o kwack2018-11.svg
