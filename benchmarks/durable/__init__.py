"""What durable runs hold: kills at every place, thousands that wait, workers that die, costs."""
