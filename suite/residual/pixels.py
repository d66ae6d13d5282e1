"""How the pixels of photographs enter a network: uint8 moved as they are, then x * SCALE - SHIFT for each channel.

The mean and deviation are those that ImageNet's networks are given everywhere: red, green, blue from 0 to 1.
"""

import numpy as np

MEAN, DEVIATION = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
SCALE, SHIFT = 1 / (255 * DEVIATION), MEAN / DEVIATION
