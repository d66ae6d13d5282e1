"""Faults in scikit-learn's implementations: one framework, whose runs have those of other blocks and their floor alone.

A mistake that is the same in every run of one implementation cannot be found by comparing it with itself; what the
harness knows beforehand, the samples and their order, can.
"""

from __future__ import annotations

from tests.mutants.planted import Mutant

TRAINER = "trainers/sklearn_trainer.py"
FIT = '        self.model.fit(data["x"][order[0]], data["y"][order[0]])\n'
TOLD = "        return Epoch(np.empty(0), order[:1])\n"
ANSWERS = '        predicted = self.model.predict(data["x"][rows])\n'

MUTANTS = [
    Mutant("sklearn-first-fit-kept", "sklearn", "svm", TRAINER, FIT, "        if not hasattr(self.model, \"classes_\"):\n    " + FIT),
    Mutant("sklearn-half-of-the-samples", "sklearn", "svm", TRAINER, FIT + TOLD, "        order = order[:, : order.shape[1] // 2]\n" + FIT + TOLD),
    Mutant("sklearn-first-pass-again", "sklearn", "logistic_regression", TRAINER, ANSWERS, "        if not hasattr(self, \"kept\"):\n    " + ANSWERS.replace("predicted", "self.kept") + "        predicted = self.kept\n"),
    Mutant("sklearn-rows-in-the-set's-own-order", "sklearn", "svm", TRAINER, 'data["x"][rows]', 'data["x"][: len(rows)]'),
    Mutant("sklearn-forest-with-other-draws", "sklearn", "random_forest", "random_forest/sklearn_impl.py", "random_state=self.spec.draws_seed", "random_state=None"),
]  # fmt: skip
