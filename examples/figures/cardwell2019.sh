# Cardwell, Performance Models for Distributed-Memory HPC Systems and Deep Neural Networks, 2019.
# The paper's points are measured and not printed; these are the model's. Problem sizes: Table 2.5,
# in Fig. 2.4 those that all systems have; 16 edges a vertex where the paper does not say how many.
# Your own measurements go in with --measured kernels.csv (docs/figures.md). What is expected of each
# figure's data is what the paper says of it; `against` stands before what does not follow from its
# formulas (docs/errata.md).

# Fig. 2.1: the roofline of Karst, its ridge point marked.
# expect where what is ridge point: performance == karst.flops -- Fig. 2.1: "increases beyond this location, maximum performance is achieved"
roofdsl plot roofline --machine karst -o cardwell2019-2.1.svg

# Fig. 2.2: (a) over operational, (b) over communication arithmetic intensity.
# expect across machine where what is bandwidth, name is network: big_red_ii.bandwidth > karst.bandwidth and karst.bandwidth > jetstream.bandwidth -- §2.7.1: "each system has a different level of network performance"
# expect across machine where what is bandwidth, name is memory: karst.bandwidth ~ jetstream.bandwidth within 7% -- §2.7.1: "With the case of memory bandwidth, the systems are similar"
# expect across machine where what is ridge point, name is network: jetstream.CAI > max(karst.CAI, big_red_ii.CAI) -- §2.7.1: "Jetstream requires the highest communication arithmetic intensity"
roofdsl plot pair --machine big_red_ii --machine karst --machine jetstream -o cardwell2019-2.2.svg

# Fig. 2.3: SUMMA on (a) Big Red II, (b) Karst, (c) Jetstream.
# expect OI > big_red_ii.ridge.OI -- §2.6.4: "predicts maximum performance since the operational intensity is to the right of the ridge point"
# expect along N: next.OI ~ OI within 9% -- §2.6.4: "the operational intensity is relatively constant"
# expect OI > 9.5 flop/B and OI < 11.32 flop/B -- against §2.6.4: "approximately the value 8"
# expect along N: next.CAI > CAI -- §2.6.4: "curve from the left towards the right as the matrix size becomes larger"
# expect 2 of 9: CAI < big_red_ii.ridge.CAI -- §2.6.4: "More of the points with low performance are to the left of the ridge point"
roofdsl plot pair summa --machine big_red_ii -p N=242..61952:x2 -p P=121 -o cardwell2019-2.3a.svg
# expect OI > karst.ridge.OI -- §2.6.4: "predicts maximum performance since the operational intensity is to the right of the ridge point"
# expect along N: next.OI ~ OI within 9% -- §2.6.4: "the operational intensity is relatively constant"
# expect OI > 9.5 flop/B and OI < 11.32 flop/B -- against §2.6.4: "approximately the value 8"
# expect along N: next.CAI > CAI -- §2.6.4: "curve from the left towards the right as the matrix size becomes larger"
# expect 5 of 9: CAI < karst.ridge.CAI -- §2.6.4: "More of the points with low performance are to the left of the ridge point"
roofdsl plot pair summa --machine karst -p N=242..61952:x2 -p P=121 -o cardwell2019-2.3b.svg
# expect OI > jetstream.ridge.OI -- §2.6.4: "predicts maximum performance since the operational intensity is to the right of the ridge point"
# expect along N: next.OI ~ OI within 9% -- §2.6.4: "the operational intensity is relatively constant"
# expect OI > 9.5 flop/B and OI < 11.32 flop/B -- against §2.6.4: "approximately the value 8"
# expect along N: next.CAI > CAI -- §2.6.4: "curve from the left towards the right as the matrix size becomes larger"
# expect 8 of 9: CAI < jetstream.ridge.CAI -- §2.6.4: "More of the points with low performance are to the left of the ridge point"
roofdsl plot pair summa --machine jetstream -p N=242..61952:x2 -p P=121 -o cardwell2019-2.3c.svg

# Fig. 2.4: the part of the time spent on communication: (a) SUMMA, (b) FFT, (c) stencil, (d) MST,
# (e) DGEMV, (f) DDOT, (g) Dijkstra.
# expect where N is 242: share_of_the_network > 1/2 -- §2.6.4: "smaller problem sizes are dominated by the network performance"
# expect where N is 61952: share_of_the_network < 1/2 -- §2.6.4: "Communication time becomes a minority of the total execution time as the matrix size increases"
# expect along N: next.share_of_the_network < share_of_the_network -- §2.6.4: "higher for small matrix sizes than large matrix sizes"
roofdsl plot breakdown summa --machine big_red_ii --machine karst --machine jetstream -p N=242..61952:x2 -p P=121 -o cardwell2019-2.4a.svg
# expect where N is 256: share_of_the_network > 1/2 -- §2.6.4: "at small problem sizes, the majority of the execution time is spent on communication"
# expect along N: next.share_of_the_network < share_of_the_network -- §2.6.4: "and decreases as the problem size gets bigger"
# expect share_of_the_network > 3/4 -- against §2.6.4: it is the majority at all sizes
roofdsl plot breakdown fft --machine big_red_ii --machine karst --machine jetstream -p N=256..67108864:x2 -p P=128 -o cardwell2019-2.4b.svg
# expect along N: next.share_of_the_network < share_of_the_network -- §2.6.4: "the percentage of communication time is higher for smaller problem sizes"
roofdsl plot breakdown stencil2d --machine big_red_ii --machine karst --machine jetstream -p N=256..65536:x2 -p P=128 -o cardwell2019-2.4c.svg
# expect along V: next.share_of_the_network ~ share_of_the_network within 0.1% -- §2.6.4: "relatively unchanged as the problem size increases"
roofdsl plot breakdown mst --machine big_red_ii --machine karst --machine jetstream -p V=65536..67108864:x2 -p E=16*V -p P=128 -o cardwell2019-2.4d.svg
# expect along N: next.share_of_the_network < share_of_the_network -- §2.6.6: "greater for smaller sizes than larger sizes"
roofdsl plot breakdown dgemv --machine big_red_ii --machine karst --machine jetstream -p N=256..131072:x2 -p P=128 -o cardwell2019-2.4e.svg
# no claim: the text does not come to Fig. 2.4-f
roofdsl plot breakdown ddot --machine big_red_ii --machine karst --machine jetstream -p N=256..1073741824:x2 -p P=128 -o cardwell2019-2.4f.svg
# expect share_of_the_network > 1/2 -- §2.6.7: "communication time dominates the execution time on all platforms and sizes"
roofdsl plot breakdown dijkstra --machine big_red_ii --machine karst --machine jetstream -p V=256..16384:x2 -p E=16*V -p P=128 -o cardwell2019-2.4g.svg

# Fig. 2.5: FFT on (a) Big Red II, (b) Karst, (c) Jetstream.
# expect 19 of 22: OI > big_red_ii.ridge.OI -- §2.6.4: "The ridge point is progressed past for this problem on Big Red II and Karst"
# expect bound is network -- against §2.6.4: "the application is flops-bound at large problem sizes"
# expect along N: next.CAI > CAI -- §2.6.4: "the communication arithmetic intensity gets larger as the input size increases"
# expect CAI < OI -- §2.6.4: "The communication arithmetic intensity is lower overall compared to operational intensity"
# expect CAI/OI ~ 0.214 -- against §2.6.4: "operational intensity values are similar for each data point"
# expect performance < min(big_red_ii.flops, big_red_ii.memory*OI) -- §2.6.4: "The communication model predicts lower performance compared to the original model"
roofdsl plot pair fft --machine big_red_ii -p N=256..536870912:x2 -p P=128 -o cardwell2019-2.5a.svg
# expect 13 of 21: OI > karst.ridge.OI -- §2.6.4: "The ridge point is progressed past for this problem on Big Red II and Karst"
# expect bound is network -- against §2.6.4: "the application is flops-bound at large problem sizes"
# expect along N: next.CAI > CAI -- §2.6.4: "the communication arithmetic intensity gets larger as the input size increases"
# expect CAI < OI -- §2.6.4: "The communication arithmetic intensity is lower overall compared to operational intensity"
# expect CAI/OI ~ 0.214 -- against §2.6.4: "operational intensity values are similar for each data point"
# expect performance < min(karst.flops, karst.memory*OI) -- §2.6.4: "The communication model predicts lower performance compared to the original model"
roofdsl plot pair fft --machine karst -p N=256..268435456:x2 -p P=128 -o cardwell2019-2.5b.svg
# expect none: OI > jetstream.ridge.OI -- §2.6.4: "The ridge point is progressed past for this problem on Big Red II and Karst"
# expect along N: next.CAI > CAI -- §2.6.4: "the communication arithmetic intensity gets larger as the input size increases"
# expect CAI < OI -- §2.6.4: "The communication arithmetic intensity is lower overall compared to operational intensity"
# expect CAI/OI ~ 0.214 -- against §2.6.4: "operational intensity values are similar for each data point"
# expect performance < min(jetstream.flops, jetstream.memory*OI) -- §2.6.4: "The communication model predicts lower performance compared to the original model"
roofdsl plot pair fft --machine jetstream -p N=256..67108864:x2 -p P=128 -o cardwell2019-2.5c.svg

# Fig. 2.6: stencil on (a) Big Red II, (b) Karst, (c) Jetstream.
# expect OI ~ 0.0714 flop/B -- §2.6.4: "the operational intensity is not changing"
# expect along N: next.CAI > CAI -- §2.6.4: "as the problem size increases, the communication arithmetic intensity increases"
# expect 10 of 10: bound is memory -- against §2.5: "meaning that it is more communication-bound"
roofdsl plot pair stencil2d --machine big_red_ii -p N=256..131072:x2 -p P=128 -o cardwell2019-2.6a.svg
# expect OI ~ 0.0714 flop/B -- §2.6.4: "the operational intensity is not changing"
# expect along N: next.CAI > CAI -- §2.6.4: "as the problem size increases, the communication arithmetic intensity increases"
# expect 9 of 10: bound is memory -- against §2.5: "meaning that it is more communication-bound"
roofdsl plot pair stencil2d --machine karst -p N=256..131072:x2 -p P=128 -o cardwell2019-2.6b.svg
# expect OI ~ 0.0714 flop/B -- §2.6.4: "the operational intensity is not changing"
# expect along N: next.CAI > CAI -- §2.6.4: "as the problem size increases, the communication arithmetic intensity increases"
# expect 6 of 9: bound is memory -- against §2.5: "meaning that it is more communication-bound"
roofdsl plot pair stencil2d --machine jetstream -p N=256..65536:x2 -p P=128 -o cardwell2019-2.6c.svg

# Fig. 2.7: minimum spanning tree on (a) Big Red II, (b) Karst, (c) Jetstream.
# expect OI > CAI -- §2.6.4: "The operational intensity is larger than the communication arithmetic intensity"
# expect bound is network -- §2.6.4: "the algorithm is less memory-bound than communication-bound"
# expect along V: next.CAI ~ CAI within 1e-9% -- §2.6.4: "a relatively uniform communication arithmetic intensity"
roofdsl plot pair mst --machine big_red_ii -p V=65536..67108864:x2 -p E=16*V -p P=128 -o cardwell2019-2.7a.svg
# expect OI > CAI -- §2.6.4: "The operational intensity is larger than the communication arithmetic intensity"
# expect bound is network -- §2.6.4: "the algorithm is less memory-bound than communication-bound"
# expect along V: next.CAI ~ CAI within 1e-9% -- §2.6.4: "a relatively uniform communication arithmetic intensity"
roofdsl plot pair mst --machine karst -p V=65536..67108864:x2 -p E=16*V -p P=128 -o cardwell2019-2.7b.svg
# expect OI > CAI -- §2.6.4: "The operational intensity is larger than the communication arithmetic intensity"
# expect bound is network -- §2.6.4: "the algorithm is less memory-bound than communication-bound"
# expect along V: next.CAI ~ CAI within 1e-9% -- §2.6.4: "a relatively uniform communication arithmetic intensity"
roofdsl plot pair mst --machine jetstream -p V=65536..67108864:x2 -p E=16*V -p P=128 -o cardwell2019-2.7c.svg

# Fig. 2.8: DDOT on (a) Big Red II, (b) Karst, (c) Jetstream.
# expect OI < big_red_ii.ridge.OI -- §2.5, item 2: "representative of a heavily memory-bound algorithm"
# expect 21 of 23: bound is memory -- §2.5, item 2: "representative of a heavily memory-bound algorithm"
roofdsl plot pair ddot --machine big_red_ii -p N=256..1073741824:x2 -p P=128 -o cardwell2019-2.8a.svg
# expect OI < karst.ridge.OI -- §2.5, item 2: "representative of a heavily memory-bound algorithm"
# expect 18 of 23: bound is memory -- §2.5, item 2: "representative of a heavily memory-bound algorithm"
roofdsl plot pair ddot --machine karst -p N=256..1073741824:x2 -p P=128 -o cardwell2019-2.8b.svg
# expect OI < jetstream.ridge.OI -- §2.5, item 2: "representative of a heavily memory-bound algorithm"
# expect 16 of 23: bound is memory -- §2.5, item 2: "representative of a heavily memory-bound algorithm"
roofdsl plot pair ddot --machine jetstream -p N=256..1073741824:x2 -p P=128 -o cardwell2019-2.8c.svg

# Fig. 2.9: DGEMV on (a) Big Red II, (b) Karst, (c) Jetstream.
# expect OI < big_red_ii.ridge.OI -- §2.5, item 6: "representative of a memory-bound algorithm"
# expect 11 of 12: bound is memory -- §2.5, item 6: "representative of a memory-bound algorithm"
roofdsl plot pair dgemv --machine big_red_ii -p N=256..524288:x2 -p P=128 -o cardwell2019-2.9a.svg
# expect OI < karst.ridge.OI -- §2.5, item 6: "representative of a memory-bound algorithm"
# expect 8 of 11: bound is memory -- §2.5, item 6: "representative of a memory-bound algorithm"
roofdsl plot pair dgemv --machine karst -p N=256..262144:x2 -p P=128 -o cardwell2019-2.9b.svg
# expect OI < jetstream.ridge.OI -- §2.5, item 6: "representative of a memory-bound algorithm"
# expect 5 of 10: bound is memory -- against §2.5, item 6: "representative of a memory-bound algorithm"
roofdsl plot pair dgemv --machine jetstream -p N=256..131072:x2 -p P=128 -o cardwell2019-2.9c.svg

# Fig. 2.10: Dijkstra on (a) Big Red II, (b) Karst, (c) Jetstream.
# expect CAI < OI -- §2.5, item 7: "communication-heavy"
# expect bound is network -- §2.6.7: "communication time dominates the execution time on all platforms and sizes"
roofdsl plot pair dijkstra --machine big_red_ii -p V=256..32768:x2 -p E=16*V -p P=128 -o cardwell2019-2.10a.svg
# expect CAI < OI -- §2.5, item 7: "communication-heavy"
# expect bound is network -- §2.6.7: "communication time dominates the execution time on all platforms and sizes"
roofdsl plot pair dijkstra --machine karst -p V=256..32768:x2 -p E=16*V -p P=128 -o cardwell2019-2.10b.svg
# expect CAI < OI -- §2.5, item 7: "communication-heavy"
# expect bound is network -- §2.6.7: "communication time dominates the execution time on all platforms and sizes"
roofdsl plot pair dijkstra --machine jetstream -p V=256..16384:x2 -p E=16*V -p P=128 -o cardwell2019-2.10c.svg

# Fig. 2.11: SUMMA with several processes on a node: (a) Big Red II, (b) Karst.
# expect OI > big_red_ii.ridge.OI -- §2.6.8: "maximum performance is predicted for all problem sizes"
# expect some: bound is network -- §2.6.8: "some of the matrix sizes are predicted to be communication-bound"
# expect 2 of 9: CAI > OI -- against §2.6.8: "higher than the operational intensity for most of the data points"
roofdsl plot pair summa --machine big_red_ii -p N=242..61952:x2 -p P=1936 -o cardwell2019-2.11a.svg
# expect OI > karst.ridge.OI -- §2.6.8: "maximum performance is predicted for all problem sizes"
# expect some: bound is network -- §2.6.8: "some of the matrix sizes are predicted to be communication-bound"
# expect 3 of 9: CAI > OI -- against §2.6.8: "higher than the operational intensity for most of the data points"
roofdsl plot pair summa --machine karst -p N=242..61952:x2 -p P=576 -o cardwell2019-2.11b.svg
# (c), (d): the same where P counts nodes, of which the sentence holds.
# expect 5 of 9: CAI > OI -- §2.6.8: "higher than the operational intensity for most of the data points"
roofdsl plot pair summa --machine big_red_ii -p N=242..61952:x2 -p P=121 -o cardwell2019-2.11c.svg
# expect 6 of 9: CAI > OI -- §2.6.8: "higher than the operational intensity for most of the data points"
roofdsl plot pair summa --machine karst -p N=242..61952:x2 -p P=36 -o cardwell2019-2.11d.svg

# Fig. 2.12: the surface of (a) Big Red II, (b) Karst, (c) Jetstream.
# expect where what is ridge point: performance < min(karst.flops, jetstream.flops) -- §2.7.1: "Big Red II has the lowest floating-point performance and therefore the lowest plane"
# expect where what is ridge point: performance/CAI > max(karst.network, jetstream.network) -- §2.7.1: "Big Red II has the fastest network performance and therefore has the steepest right plane"
# expect where what is ridge point: performance/OI ~ jetstream.memory within 7% -- §2.7.1: "the left planes, that all have similar slopes"
roofdsl plot surface --machine big_red_ii -o cardwell2019-2.12a.svg
# expect where what is ridge point: performance > big_red_ii.flops and performance < jetstream.flops -- §2.7.1: "Karst has a middle level of performance"
# expect where what is ridge point: performance/CAI < big_red_ii.network and performance/CAI > jetstream.network -- §2.7.1: "Karst lies in the middle with a network performance that is inbetween the other two systems"
# expect where what is ridge point: performance/OI ~ jetstream.memory within 7% -- §2.7.1: "the left planes, that all have similar slopes"
roofdsl plot surface --machine karst -o cardwell2019-2.12b.svg
# expect where what is ridge point: performance > max(big_red_ii.flops, karst.flops) -- §2.7.1: "Jetstream has the highest"
# expect where what is ridge point: CAI > max(karst.ridge.CAI, big_red_ii.ridge.CAI) -- §2.7.1: "Jetstream requires the highest communication arithmetic intensity to achieve maximum floating-point performance"
# expect where what is ridge point: performance/CAI < min(karst.network, big_red_ii.network) -- §2.7.1: "the slope of the right plane is the gentlest"
roofdsl plot surface --machine jetstream -o cardwell2019-2.12c.svg

# Fig. 2.13: SUMMA on the surface of (a) Big Red II, (b) Karst, (c) Jetstream.
# expect performance ~ min(big_red_ii.flops, big_red_ii.memory*OI, big_red_ii.network*CAI) within 1e-9% -- Eq. 2.5; §2.7.2: "it makes an upper bound like in the 2D results"
# expect 2 of 9: bound is network -- §2.7.2: "which are the same as in the 2D results"
roofdsl plot surface summa --machine big_red_ii -p N=242..61952:x2 -p P=121 -o cardwell2019-2.13a.svg
# expect performance ~ min(karst.flops, karst.memory*OI, karst.network*CAI) within 1e-9% -- Eq. 2.5; §2.7.2: "it makes an upper bound like in the 2D results"
# expect 5 of 9: bound is network -- §2.7.2: "which are the same as in the 2D results"
roofdsl plot surface summa --machine karst -p N=242..61952:x2 -p P=121 -o cardwell2019-2.13b.svg
# expect performance ~ min(jetstream.flops, jetstream.memory*OI, jetstream.network*CAI) within 1e-9% -- Eq. 2.5; §2.7.2: "it makes an upper bound like in the 2D results"
# expect 8 of 9: bound is network -- §2.7.2: "which are the same as in the 2D results"
roofdsl plot surface summa --machine jetstream -p N=242..61952:x2 -p P=121 -o cardwell2019-2.13c.svg

# Fig. 3.1 and 3.2: measured and predicted times of Tables 3.6 and 3.7.
# expect where name is fc1, group is batch 128: error ~ 0.49 -- §3.8.1: "first fully-connected layer at batch size 128 for an absolute percentage error of 0.49%"
# expect 11 of 12: abs(error) > 0.49 -- §3.8.1: "The most accurate prediction was made for the first fully-connected layer at batch size 128"
roofdsl plot predicted --measured "$HERE/carbonate_layers.csv" --title "Simple network on Carbonate" -o cardwell2019-3.1.svg
# expect where name is fc1, group is batch 128: abs(error) ~ 6.59 -- §3.8.2: "At an absolute percentage error of 6.59%"
# expect 11 of 12: abs(error) > 6.6 -- §3.8.2: "the first fully-connected layer at batch size 128 was the"
roofdsl plot predicted --measured "$HERE/bridges_layers.csv" --title "Simple network on Bridges" -o cardwell2019-3.2.svg
