# Checconi, Tithi, Petrini, Ridgeline: A 2D Roofline Model for Distributed Systems.

# Fig. 1: the naive surface over both intensities. Fig. 3: the surface with a roofline in each
# direction; the panels are the red and the blue line.
roofdsl plot surface --machine cascade_lake -o checconi2022-1.svg
roofdsl plot surface "$HERE/mlp.roof" --machine cascade_lake -p batch=8..4096:x2 -o checconi2022-3.svg

# Fig. 2: the regions and the ridge; (a) to (d) lead up to (e). Fig. 5 shows a layer, no data.
roofdsl plot ridgeline --machine cascade_lake -o checconi2022-2.svg

# Fig. 4: (a) the intensity of an MLP grows with the batch, (b) its place on the roofline that knows
# no network, (c) its all-reduce against its products: equal at a batch of 466.7.
roofdsl plot roofline "$HERE/mlp.roof" --machine cascade_lake -p batch=8..4096:x2 --log2 -o checconi2022-4a.svg
roofdsl plot roofline "$HERE/mlp.roof" --machine cascade_lake --set cascade_lake.network=1e9x -p batch=8..4096:x2 -o checconi2022-4b.svg
roofdsl plot breakdown "$HERE/mlp.roof" --machine cascade_lake -p batch=8..4096:x2 --seconds --log2 -o checconi2022-4c.svg

# Fig. 6: from a batch of 256 on, (a) on the ridgeline, (b) projected times.
roofdsl plot ridgeline "$HERE/mlp.roof" --machine cascade_lake -p batch=256..4096:x2 -o checconi2022-6a.svg
roofdsl plot breakdown "$HERE/mlp.roof" --machine cascade_lake -p batch=256..4096:x2 --seconds --log2 -o checconi2022-6b.svg
