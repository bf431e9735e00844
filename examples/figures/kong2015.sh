# Kong, Pouchet, Sadayappan, A Roofline-based Performance Estimator for Distributed Matrix-multiply on
# Intel CnC, 2015. What was measured is not printed; these are the model's curves, in bytes. The rate
# of the kernel is chosen so that Eq. 3 gives what the text says of Fig. 15, as docs/errata.md explains.

# Fig. 1: a roofline; the paper's is over the flops for each byte sent. Fig. 2 to 4 are programs.
roofdsl plot communication --machine xeon_e5630 -o kong2015-1.svg

# Fig. 5 to 8: compute times of Cannon's and Johnson's algorithm for N = 2000 and 8000.
roofdsl plot breakdown cannon --machine xeon_e5630 -p N=2000 -p P=1,4,8,16,32 -p B=200,400 --resource flops --seconds --log2 -o kong2015-5.svg
roofdsl plot breakdown cannon --machine xeon_e5630 -p N=8000 -p P=1,4,8,16,32 -p B=800,1600 --resource flops --seconds --log2 -o kong2015-6.svg
roofdsl plot breakdown johnson --machine xeon_e5630 -p N=2000 -p P=1,4,8,16,32 -p B=200,400 --resource flops --seconds --log2 -o kong2015-7.svg
roofdsl plot breakdown johnson --machine xeon_e5630 -p N=8000 -p P=1,4,8,16,32 -p B=800,1600 --resource flops --seconds --log2 -o kong2015-8.svg

# Fig. 9 to 12: communication times of Cannon's and Johnson's algorithm for N = 2000 and 8000.
roofdsl plot breakdown cannon --machine xeon_e5630 -p N=2000 -p P=1,4,8,16,32 -p B=200,400 --resource network --seconds --log2 -o kong2015-9.svg
roofdsl plot breakdown cannon --machine xeon_e5630 -p N=8000 -p P=1,4,8,16,32 -p B=800,1600 --resource network --seconds --log2 -o kong2015-10.svg
roofdsl plot breakdown johnson --machine xeon_e5630 -p N=2000 -p P=1,4,8,16,32 -p B=200,400 --resource network --seconds --log2 -o kong2015-11.svg
roofdsl plot breakdown johnson --machine xeon_e5630 -p N=8000 -p P=1,4,8,16,32 -p B=800,1600 --resource network --seconds --log2 -o kong2015-12.svg

# Fig. 13 to 16: bounds of Cannon's and Johnson's algorithm for N = 2000 and 8000.
roofdsl plot perfbound cannon --machine xeon_e5630 -p N=2000 -p B=200,400 -p P=1,4,8,16,32 -o kong2015-13.svg
roofdsl plot perfbound cannon --machine xeon_e5630 -p N=8000 -p B=800,1600 -p P=1,4,8,16,32 -o kong2015-14.svg
roofdsl plot perfbound johnson --machine xeon_e5630 -p N=2000 -p B=200,400 -p P=1,4,8,16,32 -o kong2015-15.svg
roofdsl plot perfbound johnson --machine xeon_e5630 -p N=8000 -p B=800,1600 -p P=1,4,8,16,32 -o kong2015-16.svg

# Fig. 17 to 20: the same with a block product four times as fast.
roofdsl plot perfbound cannon --machine xeon_e5630 --set xeon_e5630.kernel=4x -p N=2000 -p B=200,400 -p P=1,4,8,16,32 -o kong2015-17.svg
roofdsl plot perfbound cannon --machine xeon_e5630 --set xeon_e5630.kernel=4x -p N=8000 -p B=800,1600 -p P=1,4,8,16,32 -o kong2015-18.svg
roofdsl plot perfbound johnson --machine xeon_e5630 --set xeon_e5630.kernel=4x -p N=2000 -p B=200,400 -p P=1,4,8,16,32 -o kong2015-19.svg
roofdsl plot perfbound johnson --machine xeon_e5630 --set xeon_e5630.kernel=4x -p N=8000 -p B=800,1600 -p P=1,4,8,16,32 -o kong2015-20.svg
