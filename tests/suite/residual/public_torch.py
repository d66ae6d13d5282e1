"""A ResNet as it is published for PyTorch, written for PyTorch alone: what a checkpoint means there.

`load_state_dict` takes the checkpoint's own names, all of them; nothing here comes from suite/.
"""

import torch
from torch import nn

EXPANSION = 4
MEAN, DEVIATION = (
    (0.485, 0.456, 0.406),
    (0.229, 0.224, 0.225),
)  # of ImageNet's pixels, red, green, blue, from 0 to 1


class Bottleneck(nn.Module):
    """v1.5: the stride is in the 3x3 convolution."""

    def __init__(self, inside, width, stride):
        super().__init__()
        out = width * EXPANSION
        self.conv1, self.bn1 = nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out)
        self.downsample = None
        if inside != out:
            self.downsample = nn.Sequential(
                nn.Conv2d(inside, out, 1, stride, bias=False), nn.BatchNorm2d(out)
            )

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return torch.relu(self.bn3(self.conv3(x)) + shortcut)


class ResNet(nn.Module):
    def __init__(self, blocks, classes, narrowing=1, strides=(1, 2, 2, 2)):
        super().__init__()
        inside = 64 // narrowing
        self.conv1, self.bn1 = nn.Conv2d(3, inside, 7, 2, 3, bias=False), nn.BatchNorm2d(inside)
        self.layers = len(blocks)
        for number, (count, first) in enumerate(zip(blocks, strides, strict=False)):
            width, several = 64 * 2**number // narrowing, []
            for index in range(count):
                several.append(Bottleneck(inside, width, 1 if index else first))
                inside = width * EXPANSION
            setattr(self, f"layer{number + 1}", nn.Sequential(*several))
        self.fc = nn.Linear(inside, classes)

    def features(self, images):
        """Of each stage; images uint8 [n, height, width, 3]."""
        x = images.movedim(-1, 1).to(self.fc.weight.dtype) / 255
        mean, deviation = (torch.tensor(one, dtype=x.dtype).view(3, 1, 1) for one in (MEAN, DEVIATION))
        x = torch.relu(self.bn1(self.conv1((x - mean) / deviation)))
        x, found = nn.functional.max_pool2d(x, 3, 2, 1), []
        for number in range(1, self.layers + 1):
            x = getattr(self, f"layer{number}")(x)
            found.append(x)
        return found

    def forward(self, images):
        return self.fc(self.features(images)[-1].mean((2, 3)))


def loaded(tensors, blocks, classes, **sizes):
    """In float64, for answers."""
    network = ResNet(blocks, classes, **sizes).double()
    network.load_state_dict({name: torch.from_numpy(array) for name, array in tensors.items()}, strict=True)
    return network.eval()
