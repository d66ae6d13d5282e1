"""What all Mask R-CNNs have in common, whatever their settings."""

from suite.detection.answers import MASK_SIDE

LEVELS = (2, 3, 4, 5)  # of the pyramid, as the stages of the backbone
STRIDES = (4, 8, 16, 32, 64)  # pixels from feature to feature, of the levels; the last is of the RPN alone
USUAL_LEVEL = 4  # of a box of the usual side
CORNERS = 4  # numbers of a box
RATIOS = (0.5, 1.0, 2.0)  # of an anchor's height to its width
FROZEN = ("frozen_gamma", "frozen_beta", "mean", "variance")  # of each normalisation
RPN_WEIGHTS, BOX_WEIGHTS = (1.0, 1.0, 1.0, 1.0), (10.0, 10.0, 5.0, 5.0)  # of what a network says of boxes
RPN_LOW, RPN_HIGH = 0.3, 0.7  # IoU of anchors that are background below, and objects from on
BOX_HIGH = 0.5  # IoU of proposals that are objects from on, and background below
CROWDED = 0.7  # the share of a box within a crowd, from which on it is no background
RPN_POSITIVE, BOX_POSITIVE = 2, 4  # one of so many that are drawn is an object's, at most
RPN_BEND, BOX_BEND = 1 / 9, 1.0  # where the smooth L1 loss turns from a parabola into a line
BOX_POOL, MASK_POOL = 7, 14  # cells of a side that a head sees
HIDDEN_MASKS = 4  # convolutions of the mask head
WIDER = MASK_SIDE // MASK_POOL  # times the cells of a mask's side, by its transposed convolution
MOST_PRIORITY = 1 << 30
