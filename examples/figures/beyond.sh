# Figures that none of the papers has.

# What binds SUMMA on Karst, over the processes and the size; the boundary is proven and has a formula.
roofdsl plot regime summa --machine karst -p P=4..10000 -p N=2..1000000 -o regime.svg

# The same over the network's bandwidth: what would a faster network bring?
roofdsl plot regime summa --machine karst -p "karst.network=0.1 GB/s..100 GB/s" -p N=2..1000000 -p P=121 -o regime-network.svg

# Strong scaling with the sizes that keep half, and 80 %, of the efficiency; weak scaling.
roofdsl plot scaling summa --machine karst -p N=1000,10000,100000 -p P=1,4,16,64,256,1024,4096 --isoefficiency 0.5,0.8 -o scaling.svg
roofdsl plot scaling summa --machine karst -p "N=1000*sqrt(P)" -p P=1,4,16,64,256,1024,4096 -o scaling-weak.svg

# What a percent more of each number does to the time.
roofdsl plot sensitivity summa --machine karst -p N=4096 -p P=121 -o sensitivity.svg

# The steps of LeNet-5 on an A100, as bars and over time.
roofdsl plot breakdown lenet5 --machine a100_sxm_80gb -p batch=64 -o breakdown.svg
roofdsl plot breakdown lenet5 --machine a100_sxm_80gb -p batch=64 --tree -o timeline.svg
