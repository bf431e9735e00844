"""One process of a node of 64, which share its memory and its link evenly; round numbers."""

import roofdsl as rd

cluster = rd.make_machine(
    "cluster",
    units=["euro"],
    parameters={"ranks": "integer = 64  ## processes on a node"},
    flops={"vector.fp64": "2.56 TFLOP/s / ranks"},
    memory="256 GB/s / ranks",
    network="25.6 GB/s / ranks",
    messages="2 us/message",
    capacity={"memory": "512 GiB / ranks"},
    power="128 W / ranks",
    energy={"flops": "10 pJ/flop", "memory": "80 pJ/B", "network": "250 pJ/B", "messages": 0},
    price="3.2 euro/h / ranks",
)
