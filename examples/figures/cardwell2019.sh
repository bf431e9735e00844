# Cardwell, Performance Models for Distributed-Memory HPC Systems and Deep Neural Networks, 2019.
# The paper's points are measured and not printed; these are the model's. Problem sizes: Table 2.5.
# Your own measurements go in with --measured kernels.csv (docs/figures.md).

# Fig. 2.1: the roofline of Karst, its ridge point marked.
roofdsl plot roofline --machine karst -o cardwell2019-2.1.svg

# Fig. 2.2: (a) over operational, (b) over communication arithmetic intensity.
roofdsl plot pair --machine big_red_ii --machine karst --machine jetstream -o cardwell2019-2.2.svg

# Fig. 2.3: SUMMA on (a) Big Red II, (b) Karst, (c) Jetstream.
roofdsl plot pair summa --machine big_red_ii -p N=242..61952:x2 -p P=121 -o cardwell2019-2.3a.svg
roofdsl plot pair summa --machine karst -p N=242..61952:x2 -p P=121 -o cardwell2019-2.3b.svg
roofdsl plot pair summa --machine jetstream -p N=242..61952:x2 -p P=121 -o cardwell2019-2.3c.svg

# Fig. 2.4: the part of the time spent on communication: (a) SUMMA, (b) FFT, (c) stencil, (d) MST,
# (e) DGEMV, (f) DDOT, (g) Dijkstra.
roofdsl plot breakdown summa --machine big_red_ii --machine karst --machine jetstream -p N=242..61952:x2 -p P=121 -o cardwell2019-2.4a.svg
roofdsl plot breakdown fft --machine big_red_ii --machine karst --machine jetstream -p N=256..67108864:x4 -p P=128 -o cardwell2019-2.4b.svg
roofdsl plot breakdown stencil2d --machine big_red_ii --machine karst --machine jetstream -p N=256..65536:x2 -p P=128 -o cardwell2019-2.4c.svg
roofdsl plot breakdown mst --machine big_red_ii --machine karst --machine jetstream -p V=65536..67108864:x2 -p E=16*V -p P=128 -o cardwell2019-2.4d.svg
roofdsl plot breakdown dgemv --machine big_red_ii --machine karst --machine jetstream -p N=256..131072:x2 -p P=128 -o cardwell2019-2.4e.svg
roofdsl plot breakdown ddot --machine big_red_ii --machine karst --machine jetstream -p N=256..1073741824:x4 -p P=128 -o cardwell2019-2.4f.svg
roofdsl plot breakdown dijkstra --machine big_red_ii --machine karst --machine jetstream -p V=256..16384:x2 -p E=16*V -p P=128 -o cardwell2019-2.4g.svg

# Fig. 2.5: FFT.
roofdsl plot pair fft --machine big_red_ii --machine karst --machine jetstream -p N=256..67108864:x4 -p P=128 -o cardwell2019-2.5.svg

# Fig. 2.6: stencil.
roofdsl plot pair stencil2d --machine big_red_ii --machine karst --machine jetstream -p N=256..65536:x2 -p P=128 -o cardwell2019-2.6.svg

# Fig. 2.7: minimum spanning tree.
# expect OI > CAI -- §2.6.4: "operational intensity is larger than the communication arithmetic intensity"
roofdsl plot pair mst --machine big_red_ii --machine karst --machine jetstream -p V=65536..67108864:x2 -p E=16*V -p P=128 -o cardwell2019-2.7.svg

# Fig. 2.8: DDOT.
roofdsl plot pair ddot --machine big_red_ii --machine karst --machine jetstream -p N=256..1073741824:x4 -p P=128 -o cardwell2019-2.8.svg

# Fig. 2.9: DGEMV.
roofdsl plot pair dgemv --machine big_red_ii --machine karst --machine jetstream -p N=256..131072:x2 -p P=128 -o cardwell2019-2.9.svg

# Fig. 2.10: Dijkstra.
roofdsl plot pair dijkstra --machine big_red_ii --machine karst --machine jetstream -p V=256..16384:x2 -p E=16*V -p P=128 -o cardwell2019-2.10.svg

# Fig. 2.11: SUMMA with several processes on a node: Big Red II and Karst.
roofdsl plot pair summa --machine big_red_ii -p N=242..61952:x2 -p P=1936 -o cardwell2019-2.11a.svg
roofdsl plot pair summa --machine karst -p N=242..61952:x2 -p P=576 -o cardwell2019-2.11b.svg

# Fig. 2.12: the surface of (a) Big Red II, (b) Karst, (c) Jetstream.
roofdsl plot surface --machine big_red_ii -o cardwell2019-2.12a.svg
roofdsl plot surface --machine karst -o cardwell2019-2.12b.svg
roofdsl plot surface --machine jetstream -o cardwell2019-2.12c.svg

# Fig. 2.13: SUMMA on the surface.
roofdsl plot surface summa --machine big_red_ii -p N=242..61952:x2 -p P=121 -o cardwell2019-2.13a.svg
roofdsl plot surface summa --machine karst -p N=242..61952:x2 -p P=121 -o cardwell2019-2.13b.svg
roofdsl plot surface summa --machine jetstream -p N=242..61952:x2 -p P=121 -o cardwell2019-2.13c.svg

# Fig. 3.1 and 3.2: measured and predicted times of Tables 3.6 and 3.7.
roofdsl plot predicted --measured "$HERE/carbonate_layers.csv" --title "Simple network on Carbonate" -o cardwell2019-3.1.svg
roofdsl plot predicted --measured "$HERE/bridges_layers.csv" --title "Simple network on Bridges" -o cardwell2019-3.2.svg
