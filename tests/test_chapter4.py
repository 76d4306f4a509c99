"""What chapter 4 states, checked from outside: costs, bounds over seeds, its explorer."""

import re

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


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_what_heads_cost(count):
    attention = Attention(64, count)
    with FlopCounterMode(display=False) as counter:
        _, weights = attention(torch.randn(1, 64, 64), Positions(), torch.arange(64))
    assert counter.get_total_flops() == 2 * 1_572_864
    assert weights.numel() == 4_096 * count
    assert count_weights(attention) == 16_640


def cosine_by_distance(table):
    unit = table / table.norm(dim=1, keepdim=True)
    return np.array([torch.diagonal(unit @ unit.T, gap).mean().item() for gap in range(33)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_bounds_of_the_chapter_hold(seed, record_property):
    """Every bound that the notebook claims of a trained model, for this seed."""
    torch.set_num_threads(2)
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
        train(model, train_ids, held, seed=seed, report=0)
        return model

    def shares(model):
        return previous_share(model.run(held.unfold(0, 64, 64))[1].detach()).mean(axis=1)

    with_table, without, small = trained(), trained(table=False), trained(scale=0.02)
    one_layer = trained(layers=1, table=False)
    losses = evaluate(with_table, held), evaluate(without, held)
    record_property("losses", losses)
    assert losses[0] <= 1.9
    assert losses[1] >= 1.95
    assert losses[1] - losses[0] >= 0.15

    share = shares(with_table)
    layer, head = np.unravel_index(share.argmax(), share.shape)
    assert share.max() >= 0.5
    assert layer == 0
    assert shares(without).max() <= 0.2
    assert 0.2 <= shares(small).max() <= share.max() - 0.05

    assert abs(cosine_by_distance(with_table.positions.table.weight.detach())[1:]).max() <= 0.2
    grown = cosine_by_distance(small.positions.table.weight.detach())
    assert grown[1] >= 0.4
    assert grown[32] <= 0.2

    block = with_table.layers[layer]
    rows = block.norm1(with_table.positions.table.weight)[None]
    to_q, to_k = block.attention.to_q, block.attention.to_k
    q, k = (block.attention.split(f(rows))[0, head] for f in (to_q, to_k))
    scores = (q @ k.T / 4).detach()
    causal = scores.masked_fill(torch.ones(64, 64, dtype=torch.bool).triu(1), -torch.inf)
    assert (causal.argmax(1)[1:] == torch.arange(63)).double().mean() >= 0.9
    assert np.ptp(torch.diagonal(scores, -1).numpy()) >= 5

    windows = held.unfold(0, 17, 2)
    order = torch.rand(len(windows), 15, generator=torch.Generator().manual_seed(0)).argsort(dim=1)
    mixed = torch.cat([windows[:, :15].gather(1, order), windows[:, 15:16]], dim=1)
    with torch.no_grad():
        one, one_mixed = one_layer(windows[:, :16])[:, -1], one_layer(mixed)[:, -1]
        two, two_mixed = without(windows[:, :16])[:, -1], without(mixed)[:, -1]
    assert (one - one_mixed).abs().max() <= 1e-5
    assert (two - two_mixed).abs().max() >= 1
    target = windows[:, 16]
    assert cross_entropy(two_mixed, target) - cross_entropy(two, target) >= 0.15


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
