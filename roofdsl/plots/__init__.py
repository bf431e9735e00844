"""From answers and measurements to the arrays and labels that figures are drawn from."""
