"""The character model: shapes, causality, plug-in positions, text, training, errors."""

import math
import re

import numpy as np
import pytest
import torch
from torch import nn

from lesson_utils.headstats import mean_distance, previous_share
from lesson_utils.model import Attention, CharModel, LearnedTable, Positions, count_weights
from lesson_utils.positions import sinusoidal
from lesson_utils.rotary import apply_rotary
from lesson_utils.text import REVIEWS, Vocabulary, load_reviews, split
from lesson_utils.training import evaluate, generate, train


class Waves(Positions):
    """Sinusoidal positions, through the hook on embeddings."""

    def embed(self, x, positions):
        return x + torch.from_numpy(sinusoidal(positions.numpy(), x.shape[-1])).to(x.dtype)


class Turned(Positions):
    """Rotary positions, through the hook on queries and keys."""

    def turn(self, q, k, positions):
        return apply_rotary(q, positions), apply_rotary(k, positions)


class Fading(Positions):
    """A penalty on distance, one slope a head (ALiBi), through the hook on scores."""

    def bias(self, scores, positions):
        heads = scores.shape[1]
        slopes = 2.0 ** -torch.arange(1, heads + 1)
        return scores - slopes[:, None, None] * (positions[:, None] - positions[None, :]).abs()


def make(positions=None, layers=2, seed=0):
    torch.manual_seed(seed)
    return CharModel(30, width=32, heads=4, layers=layers, positions=positions).eval()


def some_ids(batch=2, time=12, seed=1):
    return torch.randint(30, (batch, time), generator=torch.Generator().manual_seed(seed))


PLUG_INS = {
    "none": Positions,
    "table": lambda: LearnedTable(100, 32),
    "waves": Waves,
    "rotary": Turned,
    "fading": Fading,
}


@pytest.mark.parametrize("kind", PLUG_INS)
def test_shapes_and_causality(kind):
    model, ids = make(PLUG_INS[kind]()), some_ids()
    logits, maps = model.run(ids)
    assert logits.shape == (2, 12, 30)
    assert maps.shape == (2, 2, 4, 12, 12)
    torch.testing.assert_close(maps.sum(-1), torch.ones(2, 2, 4, 12))
    assert maps.triu(1).abs().max() == 0
    changed = ids.clone()
    changed[:, 7:] = (changed[:, 7:] + 1) % 30
    with torch.no_grad():
        torch.testing.assert_close(model(changed)[:, :7], model(ids)[:, :7])
        assert (model(changed)[:, 7:] - model(ids)[:, 7:]).abs().max() > 0.1


@pytest.mark.parametrize("kind", PLUG_INS)
def test_a_text_alone_and_in_a_batch(kind):
    model, ids = make(PLUG_INS[kind]()), some_ids()
    with torch.no_grad():
        torch.testing.assert_close(model(ids)[1:], model(ids[1:]))
        torch.testing.assert_close(model.look(ids[1]), model.run(ids)[1][:, 1])


@pytest.mark.parametrize("kind", ["table", "waves", "rotary", "fading"])
def test_every_plug_in_changes_the_result(kind):
    """Same seed, so the same weights: what differs is the positions alone."""
    plain, placed = make(Positions()), make(PLUG_INS[kind]())
    placed.load_state_dict(plain.state_dict(), strict=False)
    with torch.no_grad():
        assert (plain(some_ids()) - placed(some_ids())).abs().max() > 1e-2


@pytest.mark.parametrize(("kind", "moves"), [("none", False), ("table", True), ("waves", True),
                                             ("rotary", False), ("fading", False)])  # fmt: skip
def test_moving_the_whole_text(kind, moves):
    """Added positions are absolute; rotations and penalties see distances only."""
    model, ids = make(PLUG_INS[kind]()), some_ids()
    with torch.no_grad():
        change = (model(ids, start=40) - model(ids)).abs().max().item()
    assert (change > 0.05) if moves else (change < 1e-4)


@pytest.mark.parametrize("kind", ["waves", "rotary", "fading"])
def test_plug_ins_train(kind):
    ids = Vocabulary("abcd").encode("abcdabdcacdb" * 20)
    torch.manual_seed(0)
    model = CharModel(4, width=32, heads=4, layers=1, positions=PLUG_INS[kind]())
    history = train(model, ids, ids, steps=40, batch=8, block=16, report=0)
    assert history.held_out[-1] < 0.6 * math.log(4)


def test_one_layer_without_positions_sees_a_bag():
    ids = some_ids(1)
    shuffled = torch.cat([ids[:, :11].flip(1), ids[:, 11:]], dim=1)
    with torch.no_grad():
        one, two = make(layers=1), make(layers=2)
        assert (one(ids)[:, -1] - one(shuffled)[:, -1]).abs().max() < 1e-5
        assert (two(ids)[:, -1] - two(shuffled)[:, -1]).abs().max() > 1e-3


def test_split_takes_consecutive_channels():
    attention, x = Attention(8, 2), torch.arange(24.0).view(1, 3, 8)
    for head in range(2):
        assert torch.equal(attention.split(x)[0, head], x[0, :, 4 * head : 4 * head + 4])


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_attention_agrees_with_torch(heads):
    """Independent implementation: torch.nn.MultiheadAttention with the same weights."""
    torch.manual_seed(heads)
    ours, x = Attention(32, heads), torch.randn(3, 7, 32)
    theirs = nn.MultiheadAttention(32, heads, batch_first=True)
    with torch.no_grad():
        three = (ours.to_q, ours.to_k, ours.to_v)
        theirs.in_proj_weight.copy_(torch.cat([p.weight for p in three]))
        theirs.in_proj_bias.copy_(torch.cat([p.bias for p in three]))
    theirs.out_proj.load_state_dict(ours.join.state_dict())
    y, weights = ours(x, Positions(), torch.arange(7))
    hidden = torch.ones(7, 7, dtype=torch.bool).triu(1)
    expected, maps = theirs(x, x, x, attn_mask=hidden, average_attn_weights=False)
    torch.testing.assert_close(y, expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(weights, maps, atol=1e-5, rtol=0)
    # the comparison can fail: another join matrix must be noticed
    with torch.no_grad():
        theirs.out_proj.weight[0, 0] += 0.1
    assert not torch.allclose(y, theirs(x, x, x, attn_mask=hidden)[0], atol=1e-5)


def test_count_of_weights_by_hand():
    table, width, vocabulary = 64 * 64, 64, 55
    layer = 4 * (width**2 + width) + (4 * width**2 + 4 * width) + (4 * width**2 + width) + 4 * width
    expected = vocabulary * width + table + 2 * layer + 2 * width + width * vocabulary + vocabulary
    assert count_weights(CharModel(vocabulary, positions=LearnedTable(64, 64))) == expected


def test_the_table_is_added_once():
    model, ids = make(LearnedTable(20, 32)), some_ids()
    x = model.characters(ids)
    placed = model.positions.embed(x, torch.arange(5, 17))
    torch.testing.assert_close(placed - x, model.positions.table.weight[5:17].expand(2, 12, 32))


# ── headstats ─────────────────────────────────────────────────────────────────────────────────


def test_head_numbers_of_known_heads():
    one_back = np.eye(5, k=-1)
    one_back[0, 0] = 1
    itself = np.eye(5)
    equal = np.tril(np.ones((5, 5))) / np.arange(1, 6)[:, None]
    maps = np.stack([one_back, itself, equal])
    np.testing.assert_allclose(previous_share(maps), [1, 0, (1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 4])
    np.testing.assert_allclose(mean_distance(maps), [4 / 5, 0, 1])


def test_head_numbers_take_torch_and_loops_agree():
    maps = make().look(some_ids()[0])
    by_hand = [
        [[m[i, j] * (i - j) for i in range(12) for j in range(i)] for m in layer] for layer in maps
    ]
    np.testing.assert_allclose(mean_distance(maps), np.sum(by_hand, axis=-1) / 12, rtol=1e-5)
    assert previous_share(maps).shape == (2, 4)


@pytest.mark.parametrize("shape", [(3,), (3, 4), (1, 1)])
def test_head_numbers_refuse(shape):
    for number in (previous_share, mean_distance):
        with pytest.raises(ValueError, match=re.escape(f"got {shape}: pass the attention of")):
            number(np.ones(shape))


# ── text ──────────────────────────────────────────────────────────────────────────────────────


def test_the_reviews_are_long_varied_and_licensed():
    text = load_reviews()
    lines = text.splitlines()
    assert len(text) >= 15_000
    assert len(lines) >= 100
    assert len(set(lines)) == len(lines)
    # template-made text would repeat its beginnings
    assert len({" ".join(line.split()[:4]) for line in lines}) > 0.95 * len(lines)
    assert len(set(re.findall(r"[a-z]+", text.lower()))) > 900
    assert "#" not in text
    assert text.isascii()
    assert "CC0" in REVIEWS.read_text(encoding="utf-8").split("\n")[1]


def test_vocabulary_there_and_back():
    text = load_reviews()
    vocabulary = Vocabulary(text)
    assert vocabulary.decode(vocabulary.encode(text)) == text
    assert sorted(vocabulary.encode(text).unique().tolist()) == list(range(len(vocabulary)))


def test_split_keeps_every_line_whole():
    text = load_reviews()
    kept, held = split(text)
    assert kept + held == text
    assert kept.endswith("\n")
    assert 0.08 < len(held) / len(text) < 0.12
    assert len(split(text, 0.3)[1]) > 2 * len(held)


def test_text_errors():
    with pytest.raises(ValueError, match=r"text is empty \(0 characters\): a vocabulary needs one"):
        Vocabulary("")
    vocabulary = Vocabulary("abc")
    with pytest.raises(ValueError, match=r"text is empty \(0 characters\): pass at least one"):
        vocabulary.encode("")
    with pytest.raises(ValueError, match=r"2 of the .* \['x', 'z'\] .* 3 of the vocabulary: leave"):
        vocabulary.encode("axbz")
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1.5: try 0.1, a tenth"):
        split("a\nb\n", 1.5)
    with pytest.raises(ValueError, match=r"8 characters and no end of line .* longer text of"):
        split("one line")


# ── training ──────────────────────────────────────────────────────────────────────────────────


def test_training_is_seeded_and_reports_in_plain_text(capsys):
    ids = Vocabulary("abcd").encode("abcdabdcacdb" * 20)

    def run(seed):
        torch.manual_seed(seed)
        model = CharModel(4, width=16, heads=2, layers=1, positions=LearnedTable(16, 16))
        return train(model, ids, ids, steps=30, batch=4, block=16, seed=seed, report=10).held_out

    assert run(0) == run(0) != run(1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 9
    assert re.fullmatch(r"█+░* +10/30   loss: training \d\.\d\d, held out \d\.\d\d", lines[0])
    assert "█" * 20 in lines[2]


def test_evaluate_is_the_mean_over_every_stretch():
    model, ids = make(), some_ids(1, 200)[0]
    losses = []
    with torch.no_grad():
        for start in range(0, 200 - 16, 16):
            chances = model(ids[None, start : start + 16])[0].log_softmax(-1)
            losses += [-chances[t, ids[start + t + 1]].item() for t in range(16)]
    assert evaluate(model, ids, 16) == pytest.approx(np.mean(losses), abs=1e-5)


def test_generate_crops_and_is_seeded():
    vocabulary = Vocabulary("abcdefghijklmnopqrstuvwxyz .,A")
    model = make(LearnedTable(8, 32))
    one = generate(model, vocabulary, "abc", 30, keep=8, seed=3)
    assert len(one) == 33
    assert one.startswith("abc")
    assert one == generate(model, vocabulary, "abc", 30, keep=8, seed=3)
    assert one != generate(model, vocabulary, "abc", 30, keep=8, seed=4)
    # up to the table's end, cropped and not cropped are the same
    assert one[:9] == generate(model, vocabulary, "abc", 6, keep=None, seed=3)
    with pytest.raises(ValueError, match="positions 0 to 8 were asked of a table with 8 rows"):
        generate(model, vocabulary, "abc", 7, keep=None, seed=3)


@pytest.mark.parametrize(("width", "heads"), [(64, 5), (64, 0), (64, -4), (12, 8)])
def test_head_count_must_divide(width, heads):
    text = f"width {width} cannot be shared equally among {heads} heads: choose a number of heads"
    with pytest.raises(ValueError, match=re.escape(text) + f".*one of .1, 2, .*{width}"):
        Attention(width, heads)


@pytest.mark.parametrize(("time", "start", "span"), [(9, 0, "0 to 8"), (3, 6, "6 to 8"),
                                                     (2, -1, "-1 to 0")])  # fmt: skip
def test_the_end_of_the_table(time, start, span):
    text = f"positions {span} were asked of a table with 8 rows (positions 0 to 7). Start at 0 and"
    with pytest.raises(ValueError, match=re.escape(text)):
        make(LearnedTable(8, 32))(some_ids(1, time), start=start)
    assert make(LearnedTable(8, 32))(some_ids(1, 8)).shape == (1, 8, 30)


@pytest.mark.parametrize("shape", [(5,), (1, 0), (1, 2, 3)])
def test_ids_must_be_batch_and_time(shape):
    with pytest.raises(ValueError, match=re.escape(f"got {shape}: encode a non-empty text")):
        make()(torch.zeros(shape, dtype=torch.long))


def test_a_text_shorter_than_a_block():
    ids, model = some_ids(1, 10)[0], make()
    for call in (lambda: evaluate(model, ids, 10), lambda: train(model, ids, ids, block=10)):
        with pytest.raises(ValueError, match="has 10 characters, and a block of 10 needs"):
            call()
