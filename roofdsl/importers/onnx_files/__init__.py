"""Networks in files of ONNX."""
