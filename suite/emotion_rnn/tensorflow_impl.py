"""The LSTM in TensorFlow."""

from __future__ import annotations

import tensorflow as tf

from suite.emotion_rnn.spec import LENGTH
from suite.trainers.tensorflow_trainer import Tensors, Trainer


class Impl(Trainer):
    def forward(self, weights: Tensors, x: tf.Tensor, training: bool) -> tuple[tf.Tensor, Tensors]:
        """Words [n, 66] -> logits [n, 6]."""
        words = tf.gather(
            weights["embedding/embeddings"], tf.reshape(tf.transpose(x), [-1])
        )  # [66 n, embedding]
        pushes = tf.split(tf.nn.bias_add(words @ weights["lstm/kernel"], weights["lstm/bias"]), LENGTH)
        kernel = tf.convert_to_tensor(weights["lstm/recurrent_kernel"])
        h = c = tf.zeros([tf.shape(x)[0], self.spec.units], words.dtype)
        for push in pushes:
            i, f, g, o = tf.split(push + h @ kernel, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return h @ weights["dense/kernel"] + weights["dense/bias"], {}
