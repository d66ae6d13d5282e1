"""What the help of each command shows at its end: lines to copy, and what comes next. Words alone: no help waits.

tests/harness/cli/test_examples.py holds that the command line takes each of them.
"""

from __future__ import annotations

Lines = tuple[tuple[str, str], ...]

EXAMPLES: dict[str, Lines] = {
    "run": (
        ("suite run --all --profile quick", "everything, on small data"),
        ("suite run -w mnist_cnn -f torch -f jax -r 10", "two frameworks, ten blocks"),
        ("suite run -w mnist_cnn -f tensorflow@2.20.0 -f tensorflow@2.21.0", "two versions of one"),
        ("suite run --all --budget 8h", "what a night allows"),
        ("suite run --resume results/...", "go on after a crash"),
    ),
    "status": (("suite status results/...", "how far it is, and what became of its runs"),),
    "verify": (
        ("suite verify", "every workload on every framework"),
        ("suite verify mnist_cnn -f torch -f jax", "a part of it"),
    ),
    "profile": (
        ("suite profile mnist_mlp -f torch", "by function"),
        ("suite run -w mnist_mlp --profile-runs 3", "beside measured runs"),
    ),
    "report": (
        ("suite report results/...", "writes report.html there"),
        ("suite report results/... --serve", "for a machine without a screen"),
        ("suite report results/b --compare results/a", "one campaign against another"),
    ),
    "compare": (
        ("suite compare results/...", "against the first of its plan"),
        ("suite compare results/... --reference torch -w mnist_cnn", "a part, against PyTorch"),
        ("suite compare results/a results/b --format markdown", "two campaigns, for a pull request"),
    ),
    "gate": (
        ("suite gate results/... --reference torch --max-increase 5%", "within one campaign"),
        ("suite gate results/a results/b --max-increase 5%", "before and after"),
    ),
    "statistics": (
        ("suite statistics results/...", "energy, by the t-test of the report"),
        ("suite statistics results/... --quantity time --test signed-rank", "time, by ranks"),
    ),
    "export": (
        ("suite export results/...", "CSV: runs, phases, epochs, costs"),
        ("suite export results/... --format latex -o paper", "tables for a paper"),
        ("suite export results/... --format bundle", "one file, for others"),
    ),
    "merge": (("suite merge node1/study node2/study -o results/all", "then: suite report results/all"),),
    "plan": (
        ("suite plan show", "what --profile quick would run"),
        ("suite plan show schep25", "a published study's plan"),
    ),
    "power": (
        ("suite power --noise 3% --effect 5%", "blocks for a 5 % difference"),
    ),
    "calibrate": (
        ("suite calibrate", "some minutes, once a machine"),
        ("suite calibrate -w mnist_cnn -f torch --profile standard", "with your own work"),
    ),
    "doctor": (
        ("suite doctor", "what is missing, and the remedy"),
        ("suite doctor --why", "and why it matters"),
    ),
    "host": (
        ("suite host show", "as campaigns record it"),
        ("suite host diff results/a results/b", "what changed between two campaigns"),
    ),
    "images": (
        ("suite images list", "every version offered"),
        ("suite images build torch tensorflow@2.20.0", "suite run does it by itself"),
        ("suite images verify", "without running them"),
    ),
    "data": (
        ("suite data list", "what there is"),
        ("suite data fetch mnist", "official files, checked"),
        ("suite data import mnist downloads/", "from files at hand"),
    ),
    "weights": (("suite weights resnet50.safetensors", "whom they fit, and the checksum to name them by"),),
    "meters": (
        ("suite meters", "what can be read here"),
        ("suite meters --boundary wall", "and what a run's energy would be"),
    ),
    "import": (("suite import codecarbon runs/ -o results/theirs", "then: suite report results/theirs"),),
    "reproduce": (
        ("suite reproduce schep25", "a study whose numbers are printed"),
        ("suite reproduce icse22 artifact/data", "one with its files"),
    ),
}  # fmt: skip
NEXT: dict[str, str] = {
    "run": "suite compare results/...",
    "verify": "suite run --all",
    "compare": "suite statistics results/...",
    "statistics": "suite export results/...",
    "report": "suite export results/...",
    "merge": "suite report results/...",
    "plan": "suite run --all --profile quick",
    "power": "suite run --all",
    "calibrate": "suite run --all",
    "doctor": "suite run --all --profile quick",
    "meters": "suite calibrate",
    "import": "suite report results/...",
    "data": "suite run --all --require data",
    "images": "suite verify",
    "weights": "suite run -w resnet50_imagenet --pretrained SHA256=FILE",
    "profile": "suite report results/...",
}


def told(name: str) -> str:
    """For the end of a command's help; its lines are kept as they are."""
    lines = EXAMPLES[name]
    width = max(len(line) for line, _ in lines)
    shown = "\n".join(f"  {line.ljust(width)}  {words}" for line, words in lines)
    then = f"\n\nNext: {NEXT[name]}" if name in NEXT else ""
    return f"\b\nExamples:\n{shown}{then}"
