"""Every planted fault, by name."""

from __future__ import annotations

from tests.mutants import (
    jax_mutants,
    keras_mutants,
    llm_mutants,
    mask_rcnn_mutants,
    sklearn_mutants,
    tensorflow_mutants,
    torch_mutants,
)

MUTANTS = {
    mutant.name: mutant
    for module in (
        torch_mutants,
        tensorflow_mutants,
        jax_mutants,
        keras_mutants,
        sklearn_mutants,
        mask_rcnn_mutants,
        llm_mutants,
    )
    for mutant in module.MUTANTS
}
