"""What chapter 4 states, checked from outside: costs, bounds over seeds, its explorer."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.utils.flop_counter import FlopCounterMode

from lesson_utils.explorers import heads
from lesson_utils.headstats import previous_share
from lesson_utils.model import Attention, CharModel, LearnedTable, Positions, count_weights
from lesson_utils.text import Vocabulary, load_reviews, split
from lesson_utils.training import evaluate, train

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "04-learned-positions.ipynb"


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_what_heads_cost(count):
    attention = Attention(64, count)
    with FlopCounterMode(display=False) as counter:
        _, weights = attention(torch.randn(1, 64, 64), Positions(), torch.arange(64))
    assert counter.get_total_flops() == 2 * 1_572_864
    assert weights.numel() == 4_096 * count
    assert count_weights(attention) == 16_640


# Every bound that the notebook claims of a trained model: measured name -> (at least, at most).
BOUNDS = {
    "loss with table": (None, 1.9),
    "loss without": (1.95, None),
    "advantage": (0.15, None),
    "advantage at step 100": (None, 0.1),
    "sharpest share": (0.5, None),
    "sharpest layer": (None, 0),
    "sharpest share without": (None, 0.2),
    "sharpest share, small start": (0.2, None),
    "large start sharper by": (0.05, None),
    "largest cosine of learned rows": (None, 0.2),
    "small start, cosine at 1": (0.4, None),
    "small start, cosine at 32": (None, 0.2),
    "rows whose top score is one back": (0.9, None),
    "spread of one back": (5, None),
    "one layer, shuffled: change": (None, 1e-5),
    "two layers, shuffled: change": (1, None),
    "two layers, shuffled: loss rises": (0.15, None),
}


def measured(seed):
    """Train the chapter's four models from this seed and measure all that BOUNDS names."""
    torch.set_num_threads(1)  # as in the notebook
    text = load_reviews()
    vocabulary = Vocabulary(text)
    train_ids, held = (vocabulary.encode(part) for part in split(text))

    def trained(layers=2, table=True, scale=1.0):
        torch.manual_seed(seed)
        positions = LearnedTable(64, 64) if table else None
        model = CharModel(len(vocabulary), layers=layers, positions=positions)
        if scale != 1:
            with torch.no_grad():
                model.characters.weight.mul_(scale)
                model.positions.table.weight.mul_(scale)
        return model, train(model, train_ids, held, seed=seed, report=0)

    def shares(model):
        return previous_share(model.run(held.unfold(0, 64, 64))[1].detach()).mean(axis=1)

    (tabled, curve), (bare, bare_curve) = trained(), trained(table=False)
    (small, _), (single, _) = trained(scale=0.02), trained(layers=1, table=False)
    share, early = shares(tabled), curve.steps.index(100)
    layer, head = np.unravel_index(share.argmax(), share.shape)
    grown = cosine_by_distance(small.positions.table.weight.detach())
    scores = position_scores(tabled, layer, head)
    causal = scores.masked_fill(torch.ones(64, 64, dtype=torch.bool).triu(1), -torch.inf)
    moved_single, _ = shuffled(single, held)
    moved_bare, dearer = shuffled(bare, held)
    losses = evaluate(tabled, held), evaluate(bare, held)
    return {
        "loss with table": losses[0],
        "loss without": losses[1],
        "advantage": losses[1] - losses[0],
        "advantage at step 100": bare_curve.held_out[early] - curve.held_out[early],
        "sharpest share": share.max(),
        "sharpest layer": layer,
        "sharpest share without": shares(bare).max(),
        "sharpest share, small start": shares(small).max(),
        "large start sharper by": share.max() - shares(small).max(),
        "largest cosine of learned rows": abs(
            cosine_by_distance(tabled.positions.table.weight.detach())[1:]
        ).max(),
        "small start, cosine at 1": grown[1],
        "small start, cosine at 32": grown[32],
        "rows whose top score is one back": (causal.argmax(1)[1:] == torch.arange(63))
        .double()
        .mean()
        .item(),
        "spread of one back": np.ptp(torch.diagonal(scores, -1).numpy()),
        "one layer, shuffled: change": moved_single,
        "two layers, shuffled: change": moved_bare,
        "two layers, shuffled: loss rises": dearer,
    }


def cosine_by_distance(table):
    unit = table / table.norm(dim=1, keepdim=True)
    return np.array([torch.diagonal(unit @ unit.T, gap).mean().item() for gap in range(33)])


def position_scores(model, layer, head):
    """Scores of position against position in one head, no character involved: (64, 64)."""
    block = model.layers[layer]
    rows = block.norm1(model.positions.table.weight)[None]
    to_q, to_k = block.attention.to_q, block.attention.to_k
    q, k = (block.attention.split(f(rows))[0, head] for f in (to_q, to_k))
    return (q @ k.T / 4).detach()


def shuffled(model, held):
    """Shuffle 15 of 16 characters: the largest change of a logit, and how much the loss rises."""
    windows = held.unfold(0, 17, 2)
    draw = torch.Generator().manual_seed(0)
    order = torch.rand(len(windows), 15, generator=draw).argsort(dim=1)
    mixed = torch.cat([windows[:, :15].gather(1, order), windows[:, 15:16]], dim=1)
    with torch.no_grad():
        before, after = model(windows[:, :16])[:, -1], model(mixed)[:, -1]
    rise = cross_entropy(after, windows[:, 16]) - cross_entropy(before, windows[:, 16])
    return (before - after).abs().max().item(), rise.item()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_bounds_of_the_chapter_hold(seed):
    found = measured(seed)
    assert found.keys() == BOUNDS.keys()
    for name, (low, high) in BOUNDS.items():
        assert low is None or found[name] >= low, (name, found[name])
        assert high is None or found[name] <= high, (name, found[name])


def test_the_notebook_claims_these_bounds():
    """What the slow test guards is what the notebook states."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    for name, (low, high) in BOUNDS.items():
        if name == "sharpest layer":  # a sentence without a claim
            continue
        bound = f"at_least={low}" if low is not None else f"at_most={high}"
        assert bound.replace("1e-05", "1e-5") + ")" in code, name


# ── the explorer ──────────────────────────────────────────────────────────────────────────────


def random_maps(layers=2, count=4, size=48, seed=0):
    scores = np.random.default_rng(seed).normal(size=(layers, count, size, size))
    shares = np.where(np.tril(np.ones((size, size))) > 0, np.exp(scores), 0)
    return shares / shares.sum(axis=-1, keepdims=True)


SENTENCE = "The blanket is soft and the delivery was fast. {"


def test_explorer_fits_its_budget_at_its_longest():
    assert len(SENTENCE) == heads.LONGEST
    assert heads.build(random_maps(), SENTENCE).nbytes <= 150_000


def test_frame_at_every_position():
    """Against a plain loop over the attention weights themselves."""
    maps = random_maps(layers=1, count=2, size=24)
    text = SENTENCE[:24]
    for head in range(2):
        for query in range(24):
            shown = heads.frame(maps, text, f"layer 1, head {head + 1}", query)
            row = maps[0, head, query]
            cells = shown.traces["seen"]["z"]
            assert np.array_equal(cells[: query + 1], row[: query + 1])
            assert np.isnan(cells[query + 1 :]).all()
            assert shown.readouts["itself"] == row[query]
            assert shown.readouts["previous"] == (row[query - 1] if query else 0)
            back = sum(row[at] * (query - at) for at in range(query + 1))
            assert shown.readouts["distance"] == pytest.approx(back)
            seen, unseen = shown.traces["seen"]["text"], shown.traces["unseen"]["text"]
            letters = [a or b for a, b in zip(seen, unseen, strict=True)]
            assert "".join(letters) == text.replace(" ", "·")
            i, j = heads.wrap(text)[query]
            assert np.mean(shown.traces["query"]["x"][:4]) == j
            assert np.mean(shown.traces["query"]["y"][:4]) == i


def test_the_heads_of_the_example_do_what_they_say():
    explorer = heads.build()
    explorer.values = {"head": "layer 1, head 1", "query": 5}
    assert explorer.frame.readouts == {"previous": 1, "itself": 0, "distance": 1}
    explorer.values = {"head": "layer 1, head 2"}
    assert explorer.frame.readouts["previous"] == pytest.approx(1 / 6)


TEXTS = ["a", "two words", SENTENCE, "x" * 40, "a b\nc " * 8, "nineteenletterswords in"]


@pytest.mark.parametrize("text", TEXTS)
def test_wrap_loses_nothing_and_keeps_words_whole(text):
    places = heads.wrap(text)
    assert len(places) == len(set(places)) == len(text)
    assert places == sorted(places)
    assert max(column for _, column in places) < heads.COLUMNS
    for (row, _), (below, column), before in zip(places, places[1:], text, strict=False):
        broken = below > row and not before.isspace()
        assert not broken or (column == 0 and len(max(text.split(), key=len)) >= heads.COLUMNS)


def test_no_figure_of_one_run_in_the_words():
    spec = heads.build(random_maps(), SENTENCE).spec
    assert not re.search(r"\d", spec["alt"])


@pytest.mark.parametrize(
    ("maps", "text", "message"),
    [
        (random_maps(size=49), "x" * 49, r"2 to 48 characters, got 49.*text\[:48\]"),
        (random_maps(size=2), "", "2 to 48 characters, got 0"),
        (random_maps(size=5), "four", r"\(layers, heads, 4, 4\) for .*got \(2, 4, 5, 5\)"),
        (random_maps(size=4)[0], "four", r"got \(4, 4, 4\): pass model.look"),
        (random_maps(size=4) * 2, "four", "sum to 1 in every row"),
        (random_maps(size=4).swapaxes(2, 3), "four", "sum to 1 in every row"),
        (np.full((1, 1, 4, 4), 0.25), "four", "0 for later characters"),
        (None, "four", "belong together"),
    ],
)
def test_explorer_refuses(maps, text, message):
    with pytest.raises(ValueError, match=message):
        heads.build(maps, text)
