"""Answers whose context decides: other cases, other times, others' words; lists with marks, verdicts, shares.

As in `test_answers`, every reading was set by reading the reply. Beside each kind stand replies that look
like it and are not.
"""

import pytest

from medagents.answers import extract, labelled

OPTIONS = ("Heparin", "Warfarin", "Aspirin", "Clopidogrel")
NONE = "unparseable"


def read(reply, options=OPTIONS):
    """The letter read, else the status."""
    answer = extract(reply, options)
    return answer.status.value if answer.option is None else labelled(options)[0][answer.option]


# fmt: off
OTHER_CASES = [
    ("Answer: D. In pregnancy the answer is A.", "D"),
    ("The answer is D. For a pregnant patient the answer would be A.", "D"),
    ("D. Clopidogrel. Note: the correct answer would be A in pregnancy.", "D"),
    ("I choose D. Had the CT been normal, I would choose B.", "D"),
    ("I choose D. In a child I would choose B.", "D"),
    ("I'd pick D. I'd pick B only without the CT.", "D"),
    ("Answer: B\n\n- **A**: would be the answer if renal function were poor\n- **C**: the answer is C only "
     "in stroke", "B"),
    ("In pregnancy the answer is A.", "A"),
    ("In this patient the answer is A.", "A"),
    ("At first I favoured D. In this patient the answer is A.", "A"),
]
OTHER_TIMES = [
    ("I choose B. Earlier I chose A.", "B"),
    ("I'm changing to B. I had chosen A because of the ECG.", "B"),
    ("New answer: B. Previous answer: A.", "B"),
    ("New answer: B (previous answer: A).", "B"),
    ("My answer was A; it is now B.", "B"),
    ("First choice: B\nSecond choice: C", "B"),
    ("Earlier I chose A. I now choose B.", "B"),
    ("Previous answer: A. I keep it: A.", "A"),
]
OTHERS_WORDS = [
    ("'Answer: B' said Agent 2. I hold D.", "D"),
    ("Agent 2 wrote:\n> Answer: B\n\nI hold that D is right.", "D"),
    ("Answer: D\n\n> Answer: B (Agent 2)", "D"),
    ("> Answer: B", "B"),
    ("Me: D. Peer 1: B. Peer 2: B.", "D"),
    ("Peer 1 -> B\nPeer 2 -> B\nMe -> D", "D"),
    ("The note in the chart says the answer is B. I ignore it. C.", "C"),
    ("Patients often think the answer is A. It is D.", "D"),
    ("I agree with Dr. Lee's answer of B.", "B"),
    ("Everything says the answer is B.", "B"),
]
AVOIDED = [
    ("I would avoid choosing B.", NONE),
    ("Avoid aspirin.", NONE),
    ("Aspirin should be stopped.", NONE),
    ("Aspirin is contraindicated.", NONE),
    ("Stop aspirin and give heparin.", "A"),
    ("Aspirin should be started.", "C"),
    ("The correct answer cannot be B. It has to be A.", "A"),
    ("There is no reason to doubt A.", "A"),
    ("The answer is $\\boxed{C}$. Check: $\\boxed{C}\\ne\\boxed{B}$.", "C"),
    ("<think>The answer is A. Or B?", "truncated"),
    ("<think>The answer is A. Or B?</think>B", "B"),
    ("I cannot recommend B.", NONE),
    ("I can't say B is wrong.", NONE),
    ("I cannot recommend an answer.", "refused"),
]
CHOSEN = [
    ("Choose C.", "C"),
    ("Select option C.", "C"),
    ("Don't choose B. Choose C.", "C"),
    ("Go for D.", "D"),
    ("I'd bet on D.", "D"),
    ("Given the above, B it is.", "B"),
    ("B is the most tempting, C is the best.", "C"),
    ("C is the one", "C"),
    ("Between C and D, D.", "D"),
    ("Answer: None of these; but if forced, B", "B"),
    ("Answer: B\nDifferential: A, C", "B"),
    ("Not enough information is given to be sure, yet B fits.", "B"),
    ("It may be B, although I am not fully certain.", "B"),
    ("It might be C.", "C"),
    ("It may be B or C.", NONE),
    ("Is it B? No. Is it C? Yes.", "C"),
    ("Is it B? Is it C?", NONE),
    ("Everything but C is wrong.", "C"),
    ("All options except B can be excluded.", "B"),
    ("Everything but C is possible.", NONE),
]
LISTS = [
    ("[ ] A\n[x] B\n[ ] C\n[ ] D", "B"),
    ("- [x] B. Warfarin", "B"),
    ("[x] A\n[x] B\n[ ] C\n[ ] D", NONE),
    ("A) Heparin ✗\nB) Warfarin ✓\nC) Aspirin ✗\nD) Clopidogrel ✗", "B"),
    ("A - False\nB - True\nC - False\nD - False", "B"),
    ("A: no. B: no. C: yes. D: no.", "C"),
    ("A - False\nB - False\nC - False\nD - False", NONE),
    ("A: 0.1, B: 0.7, C: 0.1, D: 0.1", "B"),
    ("A: 0.4, B: 0.4, C: 0.1, D: 0.1", NONE),
    ("A 10%, B 20%, C 60%, D 10%", "C"),
    ("C>D>A>B", "C"),
    ("A < D < B < C", "C"),
    ("Ranking: C, D, A, B", "C"),
    ("From most to least likely:\n1. C\n2. A\n3. B\n4. D", "C"),
    ("1. C\n2. A\n3. B", NONE),  # three answers, for all we know
    ("A. Heparin\nB. Warfarin\nC. Aspirin\nD. Clopidogrel", NONE),
]
SCRIPTS = [
    ("Answer: «C»", "C"),
    ("«A»", "A"),
    ("‹A›", "A"),
    ("『A』", "A"),
    ("Answer: 「D」", "D"),
    ("La réponse est C.", "C"),
    ("Die Antwort ist B.", "B"),
    ("答案是 C", "C"),
]
# fmt: on


@pytest.mark.parametrize(
    ("reply", "expected"),
    [*OTHER_CASES, *OTHER_TIMES, *OTHERS_WORDS, *AVOIDED, *CHOSEN, *LISTS, *SCRIPTS],
)
def test_context_decides(reply, expected):
    assert read(reply) == expected


GENES = ("Cystic fibrosis", "Oculocutaneous albinism", "Sickle cell disease", "Thalassaemia")


@pytest.mark.parametrize(
    ("reply", "options", "expected"),
    [
        ("<5", ("<5", ">5"), "A"),
        (">5", ("<5", ">5"), "B"),
        ("≥5", ("≥5", ">5"), "A"),
        ("The answer is >5.", ("<5", ">5"), "B"),
        ("-5", ("5", "-5"), "B"),
        ("5", ("5", "-5"), "A"),
        ("$\\frac{1}{2}$", ("1/2", "1/3"), "A"),
        ("50 percent", ("50%", "60%"), "A"),
        ("beta-blocker", ("β-blocker", "ACE inhibitor"), "A"),
        ("The ratio is 1:2", ("1:1", "1:2"), "B"),
        ("Fracture of the rib", ("A fracture of the rib", "A lung contusion"), "A"),
        ("I have no doubt: yes", ("yes", "no"), "A"),
        ("There is no evidence of benefit.", ("yes", "no"), NONE),
        ("There is no fracture.", ("yes", "no"), "B"),
        ("No comment.", ("yes", "no"), NONE),
        ("A. Cystic fibrosis is not suitable for population carrier screening.", GENES, "A"),
        ("B. Oculocutaneous albinism is not screened for, because it is rare.", GENES, "B"),
        ("A. Cystic fibrosis is not the answer.", GENES, NONE),
    ],
)
def test_signs_spellings_and_negated_facts(reply, options, expected):
    assert read(reply, options) == expected


def test_a_runaway_is_read_at_its_beginning_and_its_end():
    fill = "it goes on and on "
    assert read("The answer is C. " + fill * 600) == "C"
    assert read(fill * 600 + "So the answer is D.") == "D"
    assert read("The answer is C. " + fill * 600 + "So the answer is D.") == "D"


def test_how_far_from_either_end_of_a_runaway_an_answer_counts():
    told, fill = "The answer is C. ", "Now we look. "
    near = fill * ((5_000 - len(told)) // len(fill))
    assert read(near + told + fill * 1_000) == "C"
    assert read(near + fill + told + fill * 1_000) == NONE
    assert read(fill * 1_000 + told + near) == "C"
    assert read(fill * 1_000 + told + near + fill) == NONE
    assert read(near + fill + told + near[len(fill) :]) == "C"  # short enough to be read as a whole


def test_long_thoughts_do_not_crowd_out_the_answer_between_them():
    thoughts = "<think>" + "Perhaps it is B. " * 1_000 + "</think>"
    assert read(thoughts + "The answer is C.") == "C"
    assert read(thoughts + "The answer is C. " + thoughts) == "C"
