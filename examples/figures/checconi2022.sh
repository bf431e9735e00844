# Checconi, Tithi, Petrini, Ridgeline: A 2D Roofline Model for Distributed Systems.

# Fig. 1 and 3: the surface over both intensities.
roofdsl plot surface --machine cascade_lake -o checconi2022-1.svg
roofdsl plot surface "$HERE/mlp.roof" --machine cascade_lake -p batch=8..4096:x2 -o checconi2022-3.svg

# Fig. 2: the regions and the ridge.
roofdsl plot ridgeline --machine cascade_lake -o checconi2022-2.svg

# Fig. 4: (a, b) an MLP on the roofline, (c) its all-reduce against the products.
roofdsl plot roofline "$HERE/mlp.roof" --machine cascade_lake -p batch=8..4096:x2 -o checconi2022-4b.svg
roofdsl plot breakdown "$HERE/mlp.roof" --machine cascade_lake -p batch=8..4096:x2 -o checconi2022-4c.svg

# Fig. 6: the same on the ridgeline, from batch 256 on.
roofdsl plot ridgeline "$HERE/mlp.roof" --machine cascade_lake -p batch=256..4096:x2 -o checconi2022-6.svg
