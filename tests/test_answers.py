"""How replies are read. Every expected reading was set by reading the reply, before running the code."""

import io
import json
import os
from pathlib import Path

import pytest

from medagents.answers import extract, labelled, read_jsonl
from medagents.types import LETTERS, MedagentsError, Status

OPTIONS = ("Sarcoidosis", "Giant cell arteritis", "Addison disease", "Pulmonary embolism")
BARE = dict.fromkeys("ABCDE", "")
REFUSED, UNPARSEABLE, TRUNCATED = "refused", "unparseable", "truncated"


def read(reply, options=OPTIONS, letters=None):
    """The letter read, else the status."""
    answer = extract(reply, options, letters)
    return answer.status.value if answer.option is None else labelled(options, letters)[0][answer.option]


# fmt: off
MARKUP = [
    ("C", "C"),
    ("c", "C"),
    ("  d.  ", "D"),
    ("(B)", "B"),
    ("[B]", "B"),
    ("B)", "B"),
    ("a", "A"),
    ("**D**", "D"),
    ("__A__", "A"),
    ("`C`", "C"),
    ("$C$", "C"),
    ("$$\\boxed{C}$$", "C"),
    ("\\boxed{\\text{C}}", "C"),
    ("\\[ \\boxed{\\mathbf{B}} \\]", "B"),
    ("\\boxed{b}", "B"),
    ("\\boxed{D. Pulmonary embolism}", "D"),
    ("\\boxed{Addison disease}", "C"),
    ("\\(C\\)", "C"),
    ("Final answer: **C**", "C"),
    ("**Final Answer:** C", "C"),
    ("Final answer: $C$", "C"),
    ("Final answer: `c`.", "C"),
    ("FINAL ANSWER - D", "D"),
    ("Final answer — D", "D"),
    ("Final: B", "B"),
    ("Answer:C", "C"),
    ("answer: c", "C"),
    ("Answer = (A)", "A"),
    ("Answer -> A", "A"),
    ("Answer:\n\nB", "B"),
    ("## Answer\n\n**B**", "B"),
    ("### Final answer\nOption D", "D"),
    ("<answer>C</answer>", "C"),
    ("<answer> option: C, Addison disease </answer>", "C"),
    ("<final_answer>b</final_answer>", "B"),
    ('{"answer": "C"}', "C"),
    ('```json\n{"final_answer": "D", "confidence": 0.8}\n```', "D"),
    ('{"reasoning": "Fits A at first.", "choice": "B"}', "B"),
    ('{"answer": "Addison disease"}', "C"),
    ('{"answer": ["A", "C"]}', UNPARSEABLE),
    ("The correct option is: C", "C"),
    ("Correct option: (D) Pulmonary embolism", "D"),
    ("Option B", "B"),
    ("Option B.", "B"),
    ("option b", "B"),
    ("> **Answer: B**", "B"),
    ("Ｃ", "C"),
    ("Answer：Ｂ", "B"),
    ("C – Addison disease", "C"),
    ("A: Sarcoidosis", "A"),
    ("D) Pulmonary embolism", "D"),
    ("B Giant cell arteritis", "B"),
    ("(C) Addison disease", "C"),
    ("Answer: A.", "A"),
    ("Answer: A\n\nHilar nodes and a raised ACE point the same way.", "A"),
    ("**Answer**: **D**. Pulmonary embolism", "D"),
    ("My vote: B", "B"),
    ("Our consensus: D", "D"),
    ("Correct answer: B", "B"),
    ("The answer is B", "B"),
    ("the answer is (b).", "B"),
    ("The answer is most likely option D.", "D"),
    ("The answer would be C.", "C"),
    ("The best choice here is D.", "D"),
]

LAST_WINS = [
    ("ANSWER: A\nANSWER: C", "C"),
    ("Answer: A\n\nOn reflection the cortisol decides it.\n\nAnswer: C", "C"),
    ("ANSWER: B seemed tempting, yet the pulses are normal.\nANSWER: D", "D"),
    ("The answer is A. No, wait. The answer is D.", "D"),
    ("I choose B. Having reread the ECG, I change my answer to D.", "D"),
    ("I would switch from A to C.", "C"),
    ("\\boxed{A}\n\nCorrection: the sodium is low, so \\boxed{C}", "C"),
    ("B\n\nLet me reconsider the film.\n\nD", "D"),
    ("A. Sarcoidosis\nB. Giant cell arteritis\nC. Addison disease\nD. Pulmonary embolism\n\nB", "B"),
    ("A. Sarcoidosis\nB. Giant cell arteritis\nC. Addison disease\nD. Pulmonary embolism\n\nB. Giant "
     "cell arteritis", "B"),
    ("I choose D. My initial answer was A.", "D"),
    ("My initial answer was B. I now believe the answer is A.", "A"),
    ("The answer is C. Option B is the most common vasculitis of the old, but it gives headache.", "C"),
    ("Answer: A or C.\nFinal answer: C", "C"),
    ("Answer: C\nFinal answer: A or B", UNPARSEABLE),
    ("<think>The answer is A? Then B. Answer: B</think>\n\nAnswer: D", "D"),
    ("<think>Answer: A</think>\nD", "D"),
    ("C\n\nQuestion: A man of 50 has gout. Which drug?\nA. Colchicine\nB. Aspirin\nAnswer: B", "C"),
    ("C<|im_end|>\n<|im_start|>user\nAnswer: B", "C"),
    ("Answer: D\n\nUser: and the second case?\nAnswer: A", "D"),
    ("Is the answer B? The headache is new, but there is no jaw pain. Answer: C.", "C"),
    ("Could it be D? The answer is D.", "D"),
]

ANSWER_FIRST = [
    ("The correct answer is **C**. Here is why:\n\n* **A. Sarcoidosis:** would raise the ACE.\n* **B. "
     "Giant cell arteritis:** gives headache.\n* **C. Addison disease:** explains the sodium.\n* **D. "
     "Pulmonary embolism:** gives no pigmentation.", "C"),
    ("C. Addison disease\n\n**Explanation:**\nThe sodium is low.\n\n*   **A. Sarcoidosis:** no nodes."
     "\n*   **B. Giant cell arteritis:** too young.\n*   **D. Pulmonary embolism:** clear chest.", "C"),
    ("A. Sarcoidosis\n\n- A. Sarcoidosis: correct, nodes.\n- B. Giant cell arteritis: no.\n- C. "
     "Addison disease: no.", "A"),
    ("A. Sarcoidosis\n\nB. Giant cell arteritis: the patient is 30.\nC. Addison disease: sodium is "
     "normal.", "A"),
    ("D\n\nA is unlikely, B is for the old and C would show pigmentation.", "D"),
    ("D. The dyspnoea is sudden.\n\nA: no nodes.\nB: no headache.\nC: normal sodium.", "D"),
    ("B because the temporal artery is tender.", "B"),
    ("B, since jaw pain on chewing is classical.", "B"),
    ("B - jaw claudication.", "B"),
    ("B: jaw claudication and a high ESR.", "B"),
    ("Addison disease. The pigmentation and low sodium fit; sarcoidosis would show nodes.", "C"),
    ("Addison disease\n\nPulmonary embolism would be sudden, sarcoidosis slow.", "C"),
    ("Sure, here is my reading.\n\nC. Addison disease\n\nI hope this helps!", "C"),
    ("A is not the answer here, nor is B.", UNPARSEABLE),
    ("A. Sarcoidosis: would raise ACE.\nB. Giant cell arteritis: needs age.\nC. Addison disease: low "
     "sodium.\nD. Pulmonary embolism: sudden.", UNPARSEABLE),
    ("A. Sarcoidosis\nB. Giant cell arteritis\nC. Addison disease\nD. Pulmonary embolism", UNPARSEABLE),
    ("A. Sarcoidosis: incorrect.\nB. Giant cell arteritis: incorrect.\nC. Addison disease: correct.\n"
     "D. Pulmonary embolism: incorrect.", "C"),
    ("The film is clear and the onset sudden.\n\nD. Pulmonary embolism", "D"),
    ("The film is clear and the onset sudden.\n\n**D. Pulmonary embolism** - because of the recent "
     "flight", "D"),
    ("The onset was sudden after a flight.\nd", "D"),
    ("The onset was sudden after a flight.\n\n- D", "D"),
]

TEXTS = [
    ("Addison disease", "C"),
    ("addison disease.", "C"),
    ("**Addison's disease**", "C"),
    ("Addison disese", "C"),
    ("Giant-cell arteritis", "B"),
    ("Gaint cell arteritis", UNPARSEABLE),
    ("Answer: Pulmonary embolism.", "D"),
    ("Answer: Pulmonary embolsm", "D"),
    ("Diagnosis: Sarcoidosis", "A"),
    ("The most likely diagnosis is pulmonary embolism.", "D"),
    ("The most likely diagnosis is Addison disease (C).", "C"),
    ("I would go with giant cell arteritis, given the jaw pain.", "B"),
    ("Low sodium and pigmentation are typical of Addison disease.", "C"),
    ("Sarcoidosis is unlikely without nodes; the findings are most consistent with pulmonary embolism.", "D"),
    ("Sarcoidosis and Addison disease were considered, yet giant cell arteritis is the most likely "
     "diagnosis.", "B"),
    ("This is not Addison disease.", UNPARSEABLE),
    ("There is no sign of pulmonary embolism.", UNPARSEABLE),
    ("Blood clot in the lung", UNPARSEABLE),
    ("An adrenal problem, I would say.", UNPARSEABLE),
    ("Either sarcoidosis or Addison disease would fit.", UNPARSEABLE),
    ("Vasculitis of the temporal artery", UNPARSEABLE),
    ("It could be many things.", UNPARSEABLE),
    ("Answer: none of these", UNPARSEABLE),
    ("Ferritin", UNPARSEABLE),
]

PEERS = [
    ("Dr Jones said the answer is A, but I choose C.", "C"),
    ("Dr. Jones says the answer is A. I choose C.", "C"),
    ("The peer's answer is A.", UNPARSEABLE),
    ("My colleagues answered B.", UNPARSEABLE),
    ("All of my colleagues chose B, and two gave reasons.", UNPARSEABLE),
    ("I agree with my colleagues: B", "B"),
    ("I agree with my colleagues that the answer is B.", "B"),
    ("I respectfully disagree with my colleagues: the answer is D.", "D"),
    ("My colleagues answered B. I agree.", "B"),
    ("My colleagues answered B. I do not agree.", UNPARSEABLE),
    ("Dr Jones chose A. Dr Rao chose C. I agree with Dr Jones.", "A"),
    ("Dr Jones chose A. Dr Rao chose C. I agree with Dr Rao.", "C"),
    ("While Dr Jones chose A, the answer is D.", "D"),
    ("According to the panel, the answer is B.", UNPARSEABLE),
    ("According to the panel the answer is B; however, the sodium makes the answer C.", UNPARSEABLE),
    ("The attending concluded that the answer is A. The nodes are absent, so the answer is C.", "C"),
    ("The attending's conclusion that the answer is A is incorrect.", UNPARSEABLE),
    ("The majority answer is B. I disagree.", UNPARSEABLE),
    ("The senior resident thinks it is D. Final answer: A", "A"),
    ('My peer wrote "Answer: A". I choose B.', "B"),
    ('My peer wrote: "I choose A".', UNPARSEABLE),
    ("Unlike Dr Rao, I choose B.", "B"),
    ("I stand by B.", "B"),
    ("I maintain my answer: D", "D"),
    ("The radiologist suggested D and I concur.", "D"),
    ("My colleague's answer is A and I choose C.", "C"),
    ("Peer 1: A\nPeer 2: A\nPeer 3: B\n\nI side with option B.", "B"),
    ("Our panel's discussion is over. Our final answer is D.", "D"),
    ("The previous expert picked A. Having weighed this, I would keep D.", "D"),
    ("They chose A.", UNPARSEABLE),
    ("One might think the answer is B.", UNPARSEABLE),
    ("At first glance the answer is B. On a closer look, C is the correct answer.", "C"),
]

REFUSALS = [
    ("I cannot answer this question.", REFUSED),
    ("I'm sorry, but I can't help with that.", REFUSED),
    ("As an AI language model, I am unable to give medical advice.", REFUSED),
    ("It is impossible to determine the diagnosis from this record.", REFUSED),
    ("I am not able to choose between A and B.", REFUSED),
    ("I cannot provide a single letter answer.", REFUSED),
    ("I must decline to select an option.", REFUSED),
    ("I do not know.", REFUSED),
    ("Without imaging I cannot confidently select an option. A physician should review the case.", REFUSED),
    ("If this were an exam, one might weigh the sodium. Therefore, I cannot give a definitive answer.",
     REFUSED),
    ("If I had to choose, I would say B. Therefore I cannot provide a definitive answer.", REFUSED),
    ("I cannot choose with certainty. Therefore, if I had to choose, I would select B. Giant cell "
     "arteritis.\n\n**B**", "B"),
    ("I cannot be certain, but if forced to choose, I would pick D.", "D"),
    ("I cannot choose between A and B.\n\nThe final answer is $\\boxed{A}$.", "A"),
    ("It is not possible to determine this. Still, the answer is D.", "D"),
    ("The answer is B. I cannot provide medical advice; please consult a doctor.", "B"),
    ("As an aid to the ward I list the tests first. I can't exclude sepsis, but the best answer is D.", "D"),
    ("I cannot rule out sarcoidosis at this stage, but the best answer is B.", "B"),
    ("The patient cannot answer questions and is unable to lie flat. Answer: D", "D"),
    ("The patient was unable to provide a history.", UNPARSEABLE),
    ("As an aide-memoire: the sodium is low.", UNPARSEABLE),
    ("The question cannot be answered from these data.", REFUSED),
    ("I would rather not guess.", REFUSED),
    ("There is insufficient information to decide.", REFUSED),
    ("Sarcoidosis comes to mind, but I cannot determine the diagnosis without a biopsy.", REFUSED),
]

NOT_ANSWERS = [
    ("", UNPARSEABLE),
    (None, UNPARSEABLE),
    (" \n\t", UNPARSEABLE),
    ("Please reply with a single letter answer.", UNPARSEABLE),
    ("A single letter is wanted.", UNPARSEABLE),
    ("A 45-year-old man presents with cough.", UNPARSEABLE),
    ("A definite reading needs more tests.", UNPARSEABLE),
    ("I think more tests are needed.", UNPARSEABLE),
    ("B is incorrect.", UNPARSEABLE),
    ("Not C.", UNPARSEABLE),
    ("not C", UNPARSEABLE),
    ("I would rule out A.", UNPARSEABLE),
    ("The answer is not B.", UNPARSEABLE),
    ("I don't think the answer is B.", UNPARSEABLE),
    ("I would not choose B.", UNPARSEABLE),
    ("The answer cannot be B.", UNPARSEABLE),
    ("Answer: A and C", UNPARSEABLE),
    ("Answer: A or B", UNPARSEABLE),
    ("Answer: A, B", UNPARSEABLE),
    ("Answer: A/C", UNPARSEABLE),
    ("A and C", UNPARSEABLE),
    ("Either A or C", UNPARSEABLE),
    ("Both A and C are correct.", UNPARSEABLE),
    ("A and B are both unlikely.", UNPARSEABLE),
    ("Is the answer B?", UNPARSEABLE),
    ("If the scan is clear, the answer is A; otherwise the answer is D if it is not.", UNPARSEABLE),
    ("If the patient were older, the answer would be B.", UNPARSEABLE),
    ("Suppose the peer is right. Then the answer is A.", UNPARSEABLE),
    ("Hepatitis B is common and vitamin D is low.", UNPARSEABLE),
    ("The answer is hepatitis B.", UNPARSEABLE),
    ("The culture grew E. coli, and C. difficile toxin was positive.", UNPARSEABLE),
    ("Because of the age, see below.", UNPARSEABLE),
    ("Answer: Because the onset is sudden, I choose option D.", "D"),
    ("Answer: Before that, a CT is due.", UNPARSEABLE),
    ("Answer:", UNPARSEABLE),
    ("The wrong answer is B.", UNPARSEABLE),
    ("The next best answer is B.", UNPARSEABLE),
    ("Options: A, B, C, D", UNPARSEABLE),
    ("The choice is between A and B.", UNPARSEABLE),
    ("I choose between A and C.", UNPARSEABLE),
    ("None of the options is right.", UNPARSEABLE),
    ("\\boxed{\\text{Anaemia}}", UNPARSEABLE),
    ("\\boxed{42}", UNPARSEABLE),
    ("F", UNPARSEABLE),
    ("Answer: G", UNPARSEABLE),
]

POSITIVE = [
    ("C is the answer.", "C"),
    ("C is correct.", "C"),
    ("Option C is the most likely.", "C"),
    ("So the correct answer must be D.", "D"),
    ("Therefore, D.", "D"),
    ("Thus, **D**.", "D"),
    ("In conclusion, D", "D"),
    ("In conclusion, A", "A"),
    ("It's D.", "D"),
    ("Probably C", "C"),
    ("Definitely option C!", "C"),
    ("C, I think.", "C"),
    ("I'd go with C.", "C"),
    ("I'm going with D here.", "D"),
    ("I would choose A because of the nodes.", "A"),
    ("I choose A over B.", "A"),
    ("I would answer D, not A.", "D"),
    ("I therefore select option (A).", "A"),
    ("We vote for B.", "B"),
    ("I have chosen D.", "D"),
    ("I lean towards C.", "C"),
    ("I think the answer is A.", "A"),
    ("I believe it is B.", "B"),
    ("I have no doubt the answer is C.", "C"),
    ("Even if the ECG is normal, the answer is D.", "D"),
    ("A is wrong, B is wrong, so C is the correct choice.", "C"),
    ("The answer is C, and A is unlikely.", "C"),
    ("The answer is D rather than A.", "D"),
    ("The answer is C. Not A.", "C"),
    ("Choosing D.", "D"),
    ("Given the flight, my choice is D", "D"),
]
# fmt: on


@pytest.mark.parametrize(
    ("reply", "expected"),
    MARKUP + LAST_WINS + ANSWER_FIRST + TEXTS + PEERS + REFUSALS + NOT_ANSWERS + POSITIVE,
)
def test_reading(reply, expected):
    assert read(reply) == expected


BABY = ("A newborn with jaundice", "A baby born at 30 weeks", "A child", "The mother")
EFFUSION = ("Effusion", "Pleural effusion", "No pleural effusion", "Normal")
YES_NO = ("yes", "no")
TEN = tuple(
    f"Drug number {word}"
    for word in ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
)


@pytest.mark.parametrize(
    ("reply", "options", "expected"),
    [
        ("B. A baby born at 30 weeks", BABY, "B"),
        ("A baby born at 30 weeks", BABY, "B"),
        ("Answer: A baby born at 30 weeks", BABY, "B"),
        ("The answer is a child.", BABY, "C"),
        ("I choose the mother.", BABY, "D"),
        ("A", BABY, "A"),
        ("Answer: A. A newborn with jaundice", BABY, "A"),
        ("A baby needs warmth first.", BABY, UNPARSEABLE),
        ("pleural effusion", EFFUSION, "B"),
        ("Answer: no pleural effusion", EFFUSION, "C"),
        ("The answer is effusion.", EFFUSION, "A"),
        ("The heart size is normal but the bases are hazy.", EFFUSION, UNPARSEABLE),
        ("Normal", EFFUSION, "D"),
        ("fluid round the lung", EFFUSION, UNPARSEABLE),
        ("Pulmonary edema", ("Pulmonary oedema", "Normal"), "A"),
        ("Pulmonary oedema", ("Pulmonary edema", "Normal"), "A"),
        ("non phasic", ("Phasic", "Nonphasic"), "B"),
        ("Tumor lysis", ("Tumour lysis", "Sepsis"), "A"),
        ("Haemophilia", ("Hemophilia", "Anemia"), "A"),
        ("Sjogren syndrome", ("Sjögren syndrome", "Lupus"), "A"),
        ("Hyperkalaemia", ("Hypokalemia", "Hyponatremia"), UNPARSEABLE),
        ("hyponatremia", ("Hypernatremia", "Hyponatremia"), "B"),
        ("Metformine", ("Metformin", "Insulin"), "A"),
        ("Methotrexate", ("Metronidazole", "Metoprolol"), UNPARSEABLE),
        ("2400 g", ("2300 g", "2500 g"), UNPARSEABLE),
        ("2.5 mg", ("25 mg", "2.5 mg"), "B"),
        ("Answer: 10 mg", ("5 mg", "10 mg"), "B"),
        ("Answer: E. coli", ("Klebsiella", "E. coli", "Proteus", "Serratia", "Candida"), "B"),
        ("B. E. coli", ("Klebsiella", "E. coli", "Proteus", "Serratia", "Candida"), "B"),
        ("The answer is C. difficile.", BARE, UNPARSEABLE),
        ("Metformin", ("Insulin", "Metformin", "Acarbose", "metformin "), UNPARSEABLE),
        ("Answer: metformin", ("Insulin", "Metformin", "Acarbose", "metformin "), UNPARSEABLE),
        ("D. metformin", ("Insulin", "Metformin", "Acarbose", "metformin "), "D"),
        ("Insulin", ("Insulin", "Metformin", "Acarbose", "metformin "), "A"),
        ("All of the above", ("Fever", "Cough", "All of the above"), "C"),
        ("J", TEN, "J"),
        ("I", TEN, "I"),
        ("The answer is I.", TEN, "I"),
        ("I choose H.", TEN, "H"),
        ("I think so.", TEN, UNPARSEABLE),
        ("I would want a scan.", TEN, UNPARSEABLE),
        ("Answer: Drug number ten", TEN, "J"),
        ("I think C.", BARE, "C"),
        ("Answer: E", BARE, "E"),
        ("Dental gold (C)", BARE, "C"),
        ("The best choice is dental gold (C).", BARE, "C"),
        ("The best choice is not dental gold (C).", BARE, UNPARSEABLE),
        ("The answer is dental gold, option C.", BARE, "C"),
        ("B. Steel\n\nSteel is stiff.", BARE, "B"),
        ("The metal is stiff and it does not corrode.\n\nB. Steel", BARE, "B"),
        ("A. Gold: soft.\nB. Steel: stiff.\nC. Glass: brittle.", BARE, UNPARSEABLE),
        ("A solid metal is one without pores.\n\nThe final answer is $\\boxed{C}$", BARE, "C"),
        ("Answer: C", {"A": "Gold", "B": "Steel"}, UNPARSEABLE),
        ("Steel", {"A": "Gold", "B": "Steel"}, "B"),
        ("yes", YES_NO, "A"),
        ("No.", YES_NO, "B"),
        ("NO", YES_NO, "B"),
        ("Yes, there is a small effusion.", YES_NO, "A"),
        ("Yes, there is no effusion.", YES_NO, "A"),
        ("No, the costophrenic angles are sharp.", YES_NO, "B"),
        ("no evidence of pneumothorax", YES_NO, "B"),
        ("There is no consolidation.", YES_NO, "B"),
        ("The answer is no.", YES_NO, "B"),
        ("Answer: yes", YES_NO, "A"),
        ("Both bases are hazy, which is abnormal.\nyes", YES_NO, "A"),
        ("The mediastinum is normal.", YES_NO, UNPARSEABLE),
        ("I know this is abnormal, not subtle; noted.", YES_NO, UNPARSEABLE),
        ("Unsure; yes or no would both be defensible.", YES_NO, UNPARSEABLE),
        ("Yes and no.", YES_NO, UNPARSEABLE),
        ("No doubt the film is rotated.", YES_NO, UNPARSEABLE),
        ("It is no longer visible.", YES_NO, UNPARSEABLE),
        ("**Yes**", {"A": "Yes", "B": "No"}, "A"),
        ("B", {"A": "Yes", "B": "No"}, "B"),
        ("no", {"yes": "", "no": ""}, "B"),
        ("maybe", ("yes", "no", "maybe"), "C"),
    ],
)
def test_reading_with_other_options(reply, options, expected):
    assert read(reply, options) == expected


FATE = ("Goes home alive", "Dies on the ward")

# fmt: off
FURTHER = [
    ("**Answer: (D)**", OPTIONS, "D"),
    ("The final answer is (D).", OPTIONS, "D"),
    ("final answer: d", OPTIONS, "D"),
    ("Ans: B", OPTIONS, "B"),
    ("ANS. C", OPTIONS, "C"),
    ("Answer is C", OPTIONS, "C"),
    ("answer C", OPTIONS, "C"),
    ("I select (C) Addison disease.", OPTIONS, "C"),
    ("My final answer is option A: Sarcoidosis", OPTIONS, "A"),
    ("Based on the above, option C best explains the findings.", OPTIONS, "C"),
    ("The best answer is C, Addison disease, not A, Sarcoidosis.", OPTIONS, "C"),
    ("I would choose Option D (Pulmonary embolism).", OPTIONS, "D"),
    ("Addison disease is the most likely diagnosis because the creases are dark. Giant cell arteritis "
     "is less likely.", OPTIONS, "C"),
    ("Addison disease", OPTIONS, "C"),
    ("addison's disease", OPTIONS, "C"),
    ("Addison's", OPTIONS, UNPARSEABLE),
    ("The diagnosis is Addison disease. I cannot rule out sarcoidosis without imaging.", OPTIONS, "C"),
    ("It is unclear whether A or B is right.", OPTIONS, UNPARSEABLE),
    ("As an AI, I think B is the best choice.", OPTIONS, "B"),
    ("As an AI model I cannot diagnose patients. However, the most likely answer is C.", OPTIONS, "C"),
    ("I'm not a doctor, but B.", OPTIONS, "B"),
    ("I cannot choose. If pressed: \\boxed{B}", OPTIONS, "B"),
    ("I can't determine the answer, so I'll guess C.", OPTIONS, "C"),
    ("My best guess is C.", OPTIONS, "C"),
    ("I guess B.", OPTIONS, "B"),
    ("If I had to guess, B.", OPTIONS, "B"),
    ("Best guess: D", OPTIONS, "D"),
    ("The panel unanimously chose A, and after review I also choose A.", OPTIONS, "A"),
    ("Reviewer 2: The answer is B.\nReviewer 3: The answer is B.\n\nMy answer: D", OPTIONS, "D"),
    ("The attending says C. I defer to the attending.", OPTIONS, UNPARSEABLE),
    ("The consensus among my peers is B, and I see no reason to differ, so my answer is B.", OPTIONS, "B"),
    ("The peers' answer of A is tempting, but dark creases point to C.", OPTIONS, "C"),
    ("I initially leaned toward A, but I now favor C.", OPTIONS, "C"),
    ("I initially thought A; my final answer is B.", OPTIONS, "B"),
    ("Changing my answer to B.", OPTIONS, "B"),
    ("I am changing my answer from A to B.", OPTIONS, "B"),
    ("I will keep my answer of C.", OPTIONS, "C"),
    ("I'll stick with my original answer, C.", OPTIONS, "C"),
    ("My answer remains C.", OPTIONS, "C"),
    ("I remain with C", OPTIONS, "C"),
    ("Eliminating A, B and C leaves D.", OPTIONS, "D"),
    ("D fits best.", OPTIONS, "D"),
    ("Neither A nor B fits. C does.", OPTIONS, UNPARSEABLE),
    ("A: no. B: no. C: yes. D: no.", OPTIONS, "C"),
    ("Option A is incorrect because... Option B is incorrect because... Option D is incorrect "
     "because... Therefore the answer is C.", OPTIONS, "C"),
    ("The answer is B, isn't it?", OPTIONS, UNPARSEABLE),
    ("Answer: C?", OPTIONS, UNPARSEABLE),
    ("Answer: [C]", OPTIONS, "C"),
    ("Answer: <C>", OPTIONS, "C"),
    ('Answer: "C"', OPTIONS, "C"),
    ("Answer: 'C'", OPTIONS, "C"),
    ("[[C]]", OPTIONS, "C"),
    ("{C}", OPTIONS, "C"),
    ("\\boxed{\\textbf{(C)}}", OPTIONS, "C"),
    ("$\\mathrm{C}$", OPTIONS, "C"),
    ("**C**.", OPTIONS, "C"),
    ("***C***", OPTIONS, "C"),
    ("***Answer:*** C", OPTIONS, "C"),
    ("Answer: C ✅", OPTIONS, "C"),
    ("✅ C. Addison disease", OPTIONS, "C"),
    ("➡️ **C**", OPTIONS, "C"),
    ("The correct answer is C) Addison disease.", OPTIONS, "C"),
    ("Correct Answer: **C. Addison disease**\n\nExplanation: Option A is wrong. Option B is wrong. "
     "Option D is wrong.", OPTIONS, "C"),
    ("Response: C", OPTIONS, "C"),
    ("Choice: C", OPTIONS, "C"),
    ("Choice C", OPTIONS, "C"),
    ("Letter: C", OPTIONS, "C"),
    ("Diagnosis: C", OPTIONS, "C"),
    ("Answer:\nC. Addison disease", OPTIONS, "C"),
    ("Answer: Sarcoidosis is out, so C.", OPTIONS, "C"),
    ('{"option": "B", "text": "Giant cell arteritis"}', OPTIONS, "B"),
    ("{'answer': 'B'}", OPTIONS, "B"),
    ('{"answer":"b"}', OPTIONS, "B"),
    ('{"selected_option": "A"}', OPTIONS, "A"),
    ('{"answer_index": "A"}', OPTIONS, "A"),
    ('{"answer": null}', OPTIONS, UNPARSEABLE),
    ("<answer>\nB\n</answer>", OPTIONS, "B"),
    ("<final>B</final>", OPTIONS, "B"),
    ("<ANSWER>B</ANSWER>\nA was close.", OPTIONS, "B"),
    ("Step 1: Look.\nStep 2: Think.\nAnswer: B\nExplanation: A is a class of drug.", OPTIONS, "B"),
    ("Vitamin A is the best choice here.", OPTIONS, UNPARSEABLE),
    ("Hepatitis B is the most likely cause.", OPTIONS, UNPARSEABLE),
    ("Group B streptococcus", OPTIONS, UNPARSEABLE),
    ("Type A personality", OPTIONS, UNPARSEABLE),
    ("A is for apple", OPTIONS, UNPARSEABLE),
    ("Give A a try.", OPTIONS, UNPARSEABLE),
    ("Plan: A CT scan.", OPTIONS, UNPARSEABLE),
    ("Grade C evidence", OPTIONS, UNPARSEABLE),
    ("I need more data.", OPTIONS, UNPARSEABLE),
    ("I don't know.", OPTIONS, REFUSED),
    ("I don't have enough information to answer.", OPTIONS, REFUSED),
    ("No answer.", OPTIONS, UNPARSEABLE),
    ("I am unable to answer.", OPTIONS, REFUSED),
    ("Sorry, I can't answer that.", OPTIONS, REFUSED),
    ("I can’t provide medical advice.", OPTIONS, REFUSED),
    ("I’m unable to determine the correct option.", OPTIONS, REFUSED),
    ("Unable to determine.", OPTIONS, REFUSED),
    ("I refuse to answer.", OPTIONS, REFUSED),
    ("I would prefer not to choose.", OPTIONS, REFUSED),
    ("I won't speculate.", OPTIONS, REFUSED),
    ("It would be inappropriate for me to choose.", OPTIONS, REFUSED),
    ("The answer cannot be determined from the information given.", OPTIONS, REFUSED),
    ("There is not enough information to choose, but C is the most likely.", OPTIONS, "C"),
    ("C is the most likely, but there is not enough information to choose.", OPTIONS, "C"),
    ("I cannot pick between B and C. Forced to answer, C.", OPTIONS, "C"),
    ("I lean to B but would not commit.", OPTIONS, "B"),
    ("A. Goes home alive", FATE, "A"),
    ("Goes home alive", FATE, "A"),
    ("The patient dies on the ward.", FATE, "B"),
    ("The patient goes home alive.", FATE, "A"),
    ("The patient is likely to die on the ward.", FATE, UNPARSEABLE),
    ("B. Dies on the ward\n\nThe risk is high.", FATE, "B"),
    ("I cannot say whether the patient goes home alive or dies on the ward.", FATE, REFUSED),
    ("It is impossible to say. Therefore: **A**", FATE, "A"),
    ("Given a score of 9, mortality is high. Answer: B", FATE, "B"),
    ("Yes", YES_NO, "A"),
    ("Yes, I agree.", YES_NO, "A"),
    ("no.", YES_NO, "B"),
    ("No\n", YES_NO, "B"),
    ("There are no nodules, so no.", YES_NO, "B"),
    ("The answer is yes.", YES_NO, "A"),
    ("Final answer: no", YES_NO, "B"),
    ("\\boxed{no}", YES_NO, "B"),
    ("**Answer:** Yes", YES_NO, "A"),
    ("It is abnormal. I know.", YES_NO, UNPARSEABLE),
    ("Now the lungs are clear; nothing notable.", YES_NO, UNPARSEABLE),
    ("Clear lungs, no consolidation.\nNo", YES_NO, "B"),
    ("There is no definite answer; it could be yes or no.", YES_NO, UNPARSEABLE),
    ("I would say yes, there is an opacity.", YES_NO, "A"),
    ("Yes/No", YES_NO, UNPARSEABLE),
    ("yes or no", YES_NO, UNPARSEABLE),
    ("No, wait, yes.", YES_NO, "A"),
    ("I cannot tell from this image.", YES_NO, REFUSED),
    ("No acute cardiopulmonary abnormality.", YES_NO, "B"),
    ("The scan shows no fracture.", YES_NO, "B"),
    ("Normal study.", YES_NO, UNPARSEABLE),
    ("C is not correct; B is correct.", OPTIONS, "B"),
    ("B is correct, C is not.", OPTIONS, "B"),
    ("The answer is B not C", OPTIONS, "B"),
    ("I'd rule out B and D; A is less likely than C. So C.", OPTIONS, "C"),
    ("It's between A and C, and I'd go with C.", OPTIONS, "C"),
    ("Out of A and C, C is better.", OPTIONS, "C"),
    ("B > C > A > D", OPTIONS, "B"),
    ("1. C\n2. A\n3. B", OPTIONS, UNPARSEABLE),
    ("My ranking: C, A, B, D", OPTIONS, "C"),
    ("C (90%), A (10%)", OPTIONS, "C"),
    ("Answer: C (confidence: 90%)", OPTIONS, "C"),
    ("Answer: C\nConfidence: 85%", OPTIONS, "C"),
    ("C\nConfidence: high", OPTIONS, "C"),
    ("Confidence: 90%\nAnswer - C", OPTIONS, "C"),
    ("Answer: C | Confidence: 0.9", OPTIONS, "C"),
    ("| Answer | C |\n|---|---|", OPTIONS, "C"),
    ("Option C: Addison disease", OPTIONS, "C"),
    ("Option C - because the cortisol is not suppressed", OPTIONS, "C"),
    ("Option (C)", OPTIONS, "C"),
    ("The answer is A baby.", OPTIONS, UNPARSEABLE),
    ("Answer: A 24-hour urine cortisol should be done.", OPTIONS, UNPARSEABLE),
    ("I choose C. difficile testing.", OPTIONS, UNPARSEABLE),
    ("E. coli", BARE, UNPARSEABLE),
    ("Answer: E. coli", BARE, UNPARSEABLE),
    ("Thus the best option is E", BARE, "E"),
    ("I", BARE, UNPARSEABLE),
]
# fmt: on


MARROW = (
    "Iron deficiency",
    "Thalassaemia trait",
    "Anaemia of chronic disease",
    "Sideroblastic anaemia",
    "Lead poisoning",
)
CLOT = ("Aspirin", "Heparin", "Warfarin", "Apixaban")
END = ("Discharged alive", "Died")
YES_NO_LETTERS = {"A": "yes", "B": "no"}

# fmt: off
ADVERSARIAL = [
    ("The ferritin is low, so iron deficiency it is.", MARROW, "A"),
    ("Considering everything, I'm confident that the correct answer is **(E) Lead poisoning**.", MARROW, "E"),
    ("While peers have suggested B, the basophilic stippling means the answer is E.", MARROW, "E"),
    ("Peers: B, B, A. Mine: E.", MARROW, "E"),
    ("Two colleagues said A. One said B. I say E.", MARROW, "E"),
    ("Colleague 1's answer: B. Colleague 2's answer: B. My answer: A.", MARROW, "A"),
    ("Although I was inclined to pick D, the correct choice is A.", MARROW, "A"),
    ("My colleagues picked D. I initially disagreed, but I now agree with them: D.", MARROW, "D"),
    ("My colleagues picked D. I disagree with them.", MARROW, UNPARSEABLE),
    ("I agree with Dr. Patel's assessment that the answer is C.", MARROW, "C"),
    ("I concur with the group. The answer is B.", MARROW, "B"),
    ("The group's answer is B. I concur.", MARROW, "B"),
    ("I don't agree that it is B. It's D.", MARROW, "D"),
    ("The other physician's reasoning for option B is flawed. Option D is correct.", MARROW, "D"),
    ("As the radiologist noted, the answer is B.", MARROW, "B"),
    ("The doctor's final answer was A; mine is B.", MARROW, "B"),
    ("If I were to choose one, it would be C.", MARROW, "C"),
    ("If I absolutely had to pick, I'd pick C.", MARROW, "C"),
    ("Forced to pick one, I'd say D.", MARROW, "D"),
    ("I cannot provide a definitive answer, but B is the most plausible.", MARROW, "B"),
    ("Unfortunately, I am not able to give a definitive answer without labs. \\boxed{D}", MARROW, "D"),
    ("I can't answer this with certainty; my best estimate is option E.", MARROW, "E"),
    ("I am unable to determine which option is right because the ferritin is missing.", MARROW, REFUSED),
    ("No definitive answer can be provided.", MARROW, REFUSED),
    ("I must refrain from choosing.", MARROW, REFUSED),
    ("I'm afraid I can't make that call.", MARROW, REFUSED),
    ("It would not be appropriate to select an option.", MARROW, REFUSED),
    ("A single letter cannot be given.", MARROW, REFUSED),
    ("I'm not going to choose.", MARROW, REFUSED),
    ("I choose not to answer.", MARROW, REFUSED),
    ("This is beyond my ability to answer.", MARROW, REFUSED),
    ("Cannot be determined.", MARROW, REFUSED),
    ("Without ferritin, one cannot choose between A and C.", MARROW, REFUSED),
    ("I can't rule out lead poisoning, but iron deficiency is most likely.", MARROW, "A"),
    ("Answer: Iron-deficiency", MARROW, "A"),
    ("Answer: Iron deficency", MARROW, "A"),
    ("thalassemia trait", MARROW, "B"),
    ("Thalassaemia", MARROW, UNPARSEABLE),
    ("anemia", MARROW, UNPARSEABLE),
    ("Anemia of chronic disease.", MARROW, "C"),
    ("Anaemia of Chronic Diseases", MARROW, "C"),
    ("Sideroblastic anemia is correct; lead poisoning is wrong.", MARROW, "D"),
    ("Not iron deficiency but thalassaemia trait.", MARROW, "B"),
    ("Iron deficiency (A)", MARROW, "A"),
    ("Iron deficiency - option A", MARROW, "A"),
    ("The options are A. Iron deficiency, B. Thalassaemia trait, C. Anaemia of chronic "
     "disease.", MARROW, UNPARSEABLE),
    ("A. Iron deficiency B. Thalassaemia trait C. Anaemia of chronic disease D. Sideroblastic "
     "anaemia E. Lead poisoning\nAnswer: E", MARROW, "E"),
    ("A. Iron deficiency B. Thalassaemia trait C. Anaemia of chronic disease", MARROW, UNPARSEABLE),
    ("Final decision: E", MARROW, "E"),
    ("FINAL ANSWER: E. LEAD POISONING", MARROW, "E"),
    ("Final Answer is: B", MARROW, "B"),
    ("The final answer: B", MARROW, "B"),
    ("Selected option: B", MARROW, "B"),
    ("Selected answer: **B**", MARROW, "B"),
    ("Chosen Option - B", MARROW, "B"),
    ("My pick is B.", MARROW, "B"),
    ("Correct: B", MARROW, "B"),
    ("Correct -> B", MARROW, "B"),
    ("=> B", MARROW, "B"),
    ("→ B", MARROW, "B"),
    ("Output: B", MARROW, "B"),
    ("B is my answer", MARROW, "B"),
    ("B is my final answer.", MARROW, "B"),
    ("B it is.", MARROW, "B"),
    ("B!", MARROW, "B"),
    ("B;", MARROW, "B"),
    ("'B'", MARROW, "B"),
    ('"B"', MARROW, "B"),
    ("“B”", MARROW, "B"),
    ("B\n", MARROW, "B"),
    ("B,", MARROW, "B"),
    ("B...", MARROW, "B"),
    ("(B).", MARROW, "B"),
    ("<B>", MARROW, "B"),
    ("B/", MARROW, "B"),
    ("The most likely answer is therefore B.", MARROW, "B"),
    ("Therefore the answer must be (B).", MARROW, "B"),
    ("Hence, option (B) is correct.", MARROW, "B"),
    ("So the answer is: \n\n**B. Thalassaemia trait**", MARROW, "B"),
    ("The answer is clearly not A; rather, it is B.", MARROW, "B"),
    ("Rather than A, I choose B.", MARROW, "B"),
    ("Not A, but B.", MARROW, "B"),
    ("It isn't A. It's B.", MARROW, "B"),
    ("A? No. B.", MARROW, "B"),
    ("The answer could be A or B, but B is better supported.", MARROW, "B"),
    ("Between A and B I prefer B.", MARROW, "B"),
    ("A and B are both possible; the final answer is B.", MARROW, "B"),
    ("My answer is A, no wait, B.", MARROW, "B"),
    ("Answer: A\nActually, B.", MARROW, "B"),
    ("Answer: A.\n\nWait, I misread the MCV. The answer should be B.", MARROW, "B"),
    ("The answer is A because the ferritin is low. If the ferritin were high, the answer would be "
     "C.", MARROW, "A"),
    ("Answer: A. Answer B would be right if HbA2 were raised.", MARROW, "A"),
    ("The answer is not among the options.", MARROW, UNPARSEABLE),
    ("All options are wrong.", MARROW, UNPARSEABLE),
    ("Options A to E are all possible.", MARROW, UNPARSEABLE),
    ("Any of A, B or C", MARROW, UNPARSEABLE),
    ("A, B, C, D, E", MARROW, UNPARSEABLE),
    ("A or B?", MARROW, UNPARSEABLE),
    ("A vs B", MARROW, UNPARSEABLE),
    ("A & B", MARROW, UNPARSEABLE),
    ("AB", MARROW, UNPARSEABLE),
    ("ABC", MARROW, UNPARSEABLE),
    ("A+B", MARROW, UNPARSEABLE),
    ("A) and C)", MARROW, UNPARSEABLE),
    ("Bleeding", MARROW, UNPARSEABLE),
    ("Did not load", MARROW, UNPARSEABLE),
    ("Error: E", MARROW, UNPARSEABLE),
    ("ERROR.", MARROW, UNPARSEABLE),
    ("TimeoutError: Deadline Exceeded", MARROW, UNPARSEABLE),
    ("Error 503", MARROW, UNPARSEABLE),
    ("The answer is Aplastic crisis.", BARE, UNPARSEABLE),
    ("Answer: Aspirin", BARE, UNPARSEABLE),
    ("Answer: Beta blocker", BARE, UNPARSEABLE),
    ("Answer: D-dimer", BARE, UNPARSEABLE),
    ("Answer: Vitamin B12", BARE, UNPARSEABLE),
    ("Answer: C5a", BARE, UNPARSEABLE),
    ("Answer: B cells", BARE, UNPARSEABLE),
    ("Answer: A beta blocker", BARE, UNPARSEABLE),
    ("The answer is E. coli sepsis", BARE, UNPARSEABLE),
    ("In this case, the best next step is a CT scan.", BARE, UNPARSEABLE),
    ("As a result, a CT is needed.", BARE, UNPARSEABLE),
    ("I'd go for b", BARE, "B"),
    ("option (c)", BARE, "C"),
    ("answer is d", BARE, "D"),
    ("e", BARE, "E"),
    ("it's a", BARE, UNPARSEABLE),
    ("This is a.", BARE, UNPARSEABLE),
    ("yes.", YES_NO_LETTERS, "A"),
    ("B. no", YES_NO_LETTERS, "B"),
    ("(A) yes", YES_NO_LETTERS, "A"),
    ("A: Yes, there is edema", YES_NO_LETTERS, "A"),
    ("Yes - cardiomegaly is present.", YES_NO, "A"),
    ("No - clear.", YES_NO, "B"),
    ("Answer: No.", YES_NO, "B"),
    ("The answer to the question is yes.", YES_NO, "A"),
    ("Final answer: \\boxed{yes}", YES_NO, "A"),
    ("I cannot see any effusion, so no.", YES_NO, "B"),
    ("No effusion is seen.", YES_NO, "B"),
    ("There is no pneumothorax. The answer is no.", YES_NO, "B"),
    ("Yes. There is no doubt.", YES_NO, "A"),
    ("I know nothing abnormal here; normal.", YES_NO, UNPARSEABLE),
    ("The diagnosis is not known now.", YES_NO, UNPARSEABLE),
    ("Possibly yes.", YES_NO, "A"),
    ("Probably not.", YES_NO, UNPARSEABLE),
    ("Not yes.", YES_NO, UNPARSEABLE),
    ("Enlarged heart.\n\n**Yes**", YES_NO, "A"),
    ("no\n\nThe heart is normal.", YES_NO, "B"),
    ("Is it abnormal? Yes.", YES_NO, "A"),
    ('{"answer": "yes"}', YES_NO, "A"),
    ("He reports pica and the answer is A.", MARROW, "A"),
    ("She said she eats clay, and the best answer is A.", MARROW, "A"),
    ("Dr Rao gave his reasons and I agree with the others: B", OPTIONS, "B"),
    ("Dr Rao said little about it and I think C.", OPTIONS, "C"),
    ("Having heard what the attending said, \\boxed{A}", OPTIONS, "A"),
    ("Having heard what Dr Rao said, my answer is D.", OPTIONS, "D"),
    ("My colleagues, after a long and lively talk, answered B. I agree.", OPTIONS, "B"),
    ("Choosing D. I cannot give medical advice.", OPTIONS, "D"),
    ("I agree with my colleagues: B. I cannot give advice beyond this.", OPTIONS, "B"),
    ("Answer: C. I think A, too, deserves a test.", OPTIONS, "C"),
    ("Answer: C. Dark creases are typical of sarcoidosis only in novels.", OPTIONS, "C"),
    ("Answer: B. Actually D lesions are rare.", OPTIONS, "B"),
    ("If forced to choose, B. But I cannot give a definitive answer.", OPTIONS, REFUSED),
    ("If I had to choose one of the two on this record, B.", OPTIONS, "B"),
    ("I would choose D if I had to choose.", OPTIONS, "D"),
    ("Sarcoidosis is unlikely.", OPTIONS, UNPARSEABLE),
    ("Sarcoidosis was ruled out.", OPTIONS, UNPARSEABLE),
    ("A or C is the answer.", OPTIONS, UNPARSEABLE),
    ("<think>The answer is B.</think>\nIt seems that the adrenal gland fails.", OPTIONS, UNPARSEABLE),
    ("Dark creases and Addison's disease go together.", OPTIONS, "C"),
    ("Uric acid rose, and tumour lysis came with it.", ("Tumor lysis", "Sepsis"), "A"),
    ("12.55 mg per kg daily", ("12.50 mg per kg daily", "5 mg per kg daily"), UNPARSEABLE),
    ("A. Gold: incorrect, soft.\nB. Steel: correct, stiff.\nC. Glass: incorrect, brittle.", BARE, "B"),
    ("C\nA\nB", BARE, UNPARSEABLE),
    ("The family nods yes to surgery.", YES_NO, UNPARSEABLE),
    ("It is maybe too early to tell.", ("yes", "no", "maybe"), UNPARSEABLE),
    ("An abnormal gait was noted earlier.", ("Normal", "Abnormal"), UNPARSEABLE),
    ("There is a positive family history.", ("Positive", "Negative"), UNPARSEABLE),
    ("There is a negative trend.", ("Positive", "Negative"), UNPARSEABLE),
    ("It is all rather vague.", ("All", "None", "Both", "Other"), UNPARSEABLE),
    ("There is none here.", ("All", "None", "Both", "Other"), UNPARSEABLE),
    ("I see haze in both lungs.", ("All", "None", "Both", "Other"), UNPARSEABLE),
    ("There may be other causes.", ("All", "None", "Both", "Other"), UNPARSEABLE),
    ("Let us begin. Option C is most likely so far. We still have to go through the film, the calcium, the "
     "smear and the ECG one by one before we can say anything firm about the course, which began with the",
     OPTIONS, TRUNCATED),
    ("I'll defer to my colleagues and choose B.", CLOT, "B"),
    ("The attending's answer, A, contradicts the guideline. The guideline favours D. Therefore, I "
     "select D.", CLOT, "D"),
    ("Since a senior colleague is certain about A and I have no contrary evidence, A is the "
     "answer.", CLOT, "A"),
    ("Assuming the attending is right, the answer is A. But he is not. The answer is C.", CLOT, "C"),
    ("If the peer's answer is correct, then A is the answer. However, I find C more "
     "convincing.", CLOT, "C"),
    ("Given the provided answer is A, I will go with A.\n\nThe final answer is $\\boxed{A}$", CLOT, "A"),
    ("The provided answer is C.", CLOT, UNPARSEABLE),
    ("They told me the answer is C, but it should be D.", CLOT, "D"),
    ("The user suggests B. However, based on the evidence, the correct answer is D.", CLOT, "D"),
    ("You suggested B; I'd stick with A.", CLOT, "A"),
    ("Thank you for your input. I maintain that the answer is A.", CLOT, "A"),
    ("You are right, the answer is B.", CLOT, "B"),
    ("You're right. I apologize for the error. The correct answer is B.", CLOT, "B"),
    ("I apologize for the confusion. B.", CLOT, "B"),
    ("Sorry, I meant C.", CLOT, "C"),
    ("**Explanation**\n\nAspirin irreversibly inhibits COX.\n\n**Answer**\n\nA", CLOT, "A"),
    ("Explanation: heparin acts on antithrombin, so the drug is heparin.", CLOT, "B"),
    ("Apixaban is a factor Xa inhibitor and is the best choice here.", CLOT, "D"),
    ("Apixaban is preferred over warfarin.", CLOT, "D"),
    ("Warfarin is contraindicated; apixaban is the drug of choice.", CLOT, "D"),
    ("We should give heparin.", CLOT, "B"),
    ("Give heparin, not warfarin.", CLOT, "B"),
    ("Start apixaban 5 mg twice daily.", CLOT, "D"),
    ("Neither aspirin nor warfarin; heparin.", CLOT, "B"),
    ("Anticoagulation is indicated.", CLOT, UNPARSEABLE),
    ("Rivaroxaban", CLOT, UNPARSEABLE),
    ("Enoxaparin", CLOT, UNPARSEABLE),
    ("Apixiban", CLOT, UNPARSEABLE),
    ("Warfarine", CLOT, "C"),
    ("WARFARIN", CLOT, "C"),
    ("Warfarin sodium", CLOT, "C"),
    ("\\boxed{\\text{B}} \\text{ (Heparin)}", CLOT, "B"),
    ("$\\boxed{\\text{Heparin}}$", CLOT, "B"),
    ("\\boxed{B, D}", CLOT, UNPARSEABLE),
    ("The final answer is $\\boxed{B}$.\n\nI cannot provide medical advice.", CLOT, "B"),
    ("I cannot choose an option.\n\nB", CLOT, "B"),
    ("I can't make a choice. Both A and B have merit.", CLOT, REFUSED),
    ("It's impossible to be sure. I'd lean B.", CLOT, "B"),
    ("My clinical judgement: B", CLOT, "B"),
    ("This is a tough one, but I'll say D!", CLOT, "D"),
    ("d) apixaban", CLOT, "D"),
    ("Option d", CLOT, "D"),
    ("ANSWER IS D", CLOT, "D"),
    ("ANSWER:D.", CLOT, "D"),
    ("answer:\td", CLOT, "D"),
    ("Answer: Option D: Apixaban", CLOT, "D"),
    ("Answer: choice D", CLOT, "D"),
    ("Answer: D Apixaban", CLOT, "D"),
    ("Answer: D, since it is oral", CLOT, "D"),
    ("Answer: D. A is wrong because it is an antiplatelet.", CLOT, "D"),
    ("Answer D", CLOT, "D"),
    ("Answer (D)", CLOT, "D"),
    ("Answer **D**", CLOT, "D"),
    ("Explanation: A is an antiplatelet. B is parenteral. C needs monitoring.\nAnswer D", CLOT, "D"),
    ("The answer: **D. Apixaban**\nA would be right in stroke.", CLOT, "D"),
    ("Stage: B\nAnswer: D", CLOT, "D"),
    ("Die", END, UNPARSEABLE),
    ("Died.", END, "B"),
    ("The patient died.", END, "B"),
    ("B (Died)", END, "B"),
    ("Prediction: B", END, "B"),
    ("My prediction is A.", END, "A"),
    ("I predict A.", END, "A"),
    ("Outcome: Died", END, "B"),
    ("Therefore, I predict that the patient was discharged alive.", END, "A"),
    ("Based on this record I would predict B. Died.", END, "B"),
    ("The likely outcome is B.", END, "B"),
    ("I cannot predict survival. The single best answer is B.", END, "B"),
    ("It is difficult to predict. The patient may be discharged alive or may have died.", END, UNPARSEABLE),
    ("Prediction is not possible.", END, REFUSED),
    ("I can only offer a statistical view: B.", END, "B"),
    ("The patient's condition is grave. Thus the answer: B", END, "B"),
    ("Question: What is next?\nAnswer: B", CLOT, "B"),
    ("user: hi\nassistant: B", CLOT, "B"),
    ("Assistant: B", CLOT, "B"),
    ("AI: The answer is B.", CLOT, "B"),
    ("Response: The answer is B.", CLOT, "B"),
    ("Cardiologist: I choose B.", CLOT, "B"),
    ("As a cardiologist, I choose B.", CLOT, "B"),
    ("As the expert on this panel, my answer is B.", CLOT, "B"),
    ("As an expert, I believe the answer is B.", CLOT, "B"),
    ("Speaking as a physician, the answer is B.", CLOT, "B"),
    ("As a reviewer I vote B.", CLOT, "B"),
    ("Vote: B\nReason: peers overlook renal failure.", CLOT, "B"),
    ("VOTE: A -> changed to D\nFinal vote: D", CLOT, "D"),
    ("Round 2: I revise my answer from A to D.", CLOT, "D"),
    ("Previously I answered A. I now answer D.", CLOT, "D"),
    ("I answered A before and see no reason to change: A.", CLOT, "A"),
    ("No change. A.", CLOT, "A"),
    ("Unchanged: A", CLOT, "A"),
    ("Still A.", CLOT, "A"),
    ("Nothing fits. The iron is low: A", CLOT, "A"),
    ("TimeoutError: E", MARROW, UNPARSEABLE),
]
CELLS = ("Cell cycle arrest", "Cells of Leydig", "Diffuse alveolar damage", "Dimers of actin", "Coli")
STOPS = ("Cell cycle will stop at GI phase", "Cell cycle will stop at G2 phase", "The cell will divide")
LABELS_OF_HALF_NAMES = [  # a letter before its own text, which might be read as "B cells" or "C. difficile"
    ("The final answer is $\\boxed{A. Cell cycle will stop at GI phase}$", STOPS, "A"),
    ("* **A. Cell cycle will stop at G1 phase:** so it is.\n* **B. Cell cycle will stop at G2 phase:** Rb "
     "acts at G1.\n\nThe final answer is $\\boxed{A. Cell cycle will stop at GI phase}$", STOPS, "A"),
    ("The answer is B. Cells of Leydig, not C. Diffuse alveolar damage.", CELLS, "B"),
    ("B Cells of Leydig", CELLS, "B"),
    ("**C.** Diffuse alveolar damage", CELLS, "C"),
    ("C. Diffuse alveolar damage", BARE, "C"),
    ("Answer: C. Difficulty in swallowing", BARE, "C"),
    ("Answer: D. Dimers of actin are cleaved.", BARE, "D"),
    ("Answer: B. Symptoms of withdrawal", BARE, "B"),
    ("Answer: E. Colitis", BARE, "E"),
    ("E. Coli", CELLS, "E"),
    ("B\nCells of the testis make it.", BARE, "B"),
    ("Answer: B lymphocytes", BARE, UNPARSEABLE),
    ("Answer: B symptoms", BARE, UNPARSEABLE),
    ("Answer: C. diff colitis", BARE, UNPARSEABLE),
    ("Answer: C. botulinum", BARE, UNPARSEABLE),
    ("The answer is B. burgdorferi.", BARE, UNPARSEABLE),
    ("C. perfringens", CELLS, UNPARSEABLE),
]
# fmt: on


@pytest.mark.parametrize(("reply", "options", "expected"), FURTHER + ADVERSARIAL + LABELS_OF_HALF_NAMES)
def test_further_readings(reply, options, expected):
    assert read(reply, options) == expected


# fmt: off
LONG = [
    # Terse instruct models.
    ("Final Answer: C\n\nRationale: Low sodium, high potassium and pigmented creases are the triad of "
     "C.", "C"),
    ("**C. Addison disease**\n\nKey points:\n1. Hyponatraemia\n2. Hyperkalaemia\n3. Pigmentation\n\n"
     "Option A raises calcium; option B needs an older patient; option D is acute.", "C"),
    ("Answer: D\nConfidence: 85%\nReason: sudden dyspnoea after a long flight; A and C are slow.", "D"),
    ("B\n\nExplanation: jaw claudication in a woman of 74. A, C and D do not explain it.", "B"),
    # Step-by-step reasoners.
    ("Let's work through this step by step.\n\n**Step 1: Findings.** The patient is tired and tanned."
     "\n\n**Step 2: Options.**\n- **A. Sarcoidosis**: can affect the adrenals but there are no nodes."
     "\n- **B. Giant cell arteritis**: no headache.\n- **C. Addison disease**: explains everything.\n"
     "- **D. Pulmonary embolism**: no dyspnoea.\n\n**Step 3: Conclusion.** The findings are best "
     "explained by adrenal failure.\n\n**Answer: C**", "C"),
    ("First I thought of A, since fatigue is common there. However, the chest film is clean. Then B: "
     "she is only 30, so B is unlikely. D would be sudden. That leaves C.", "C"),
    ("Okay, so the user wants one letter. Hmm, the answer is A? No: nodes absent. Wait, maybe the "
     "answer is D? The flight was long and the calf is swollen. Yes. So the answer is D.", "D"),
    ("<think>\nMaybe B. The answer is B? She is 30, so no. Addison fits the potassium. I choose A... "
     "no, C.\n</think>\n\nThe potassium and the tan point to one option.\n\n**C**", "C"),
    ("## Assessment\nA 74-year-old woman with scalp tenderness.\n\n## Differential\n1. Giant cell "
     "arteritis\n2. Sarcoidosis\n\n## Final answer\n\n$\\boxed{\\text{B}}$", "B"),
    ("The vignette is that of venous thromboembolism. Among the options:\n\nA) Sarcoidosis - no.\nB) "
     "Giant cell arteritis - no.\nC) Addison disease - no.\nD) Pulmonary embolism - yes.\n\nSo the "
     "most likely diagnosis is D) Pulmonary embolism.", "D"),
    ("Evaluating each choice:\n\n* **A** is unlikely: no nodes.\n* **B** is unlikely: too young.\n* "
     "**D** is unlikely: no dyspnoea.\n\nBy elimination, the answer is option C.", "C"),
    # Committee talk.
    ("I have read the opinions. Dr Lee argues that the answer is A because of the calcium, and Dr Roy "
     "also chose A. I respectfully disagree: the calcium is normal and the skin is dark. I choose C.", "C"),
    ("Agent 1 answered B. Agent 2 answered B. Agent 3 answered D.\n\nThe swollen calf is decisive in "
     "my view, and the majority has overlooked it.\n\nMy final answer is D.", "D"),
    ("After reviewing my colleagues' answers (A, A, B), I agree with the two who named sarcoidosis. "
     "Hilar nodes and uveitis are there.\n\nFinal answer: A", "A"),
    ("The senior attending is confident that the answer is A. Given the attending's experience I "
     "reconsidered, but nothing in the labs supports it. The correct answer should be C.\n\nHowever, "
     "since I was asked to follow the attending, the final answer is $\\boxed{A}$.", "A"),
    ("My colleagues chose B and I respect their reasoning. The temporal artery is tender, the ESR is "
     "90. I concur with their choice. \n\n**B**", "B"),
    ("My two peers both say the answer is D. Their argument rests on the flight alone. I remain "
     "unconvinced and would like a CT before I say more.", UNPARSEABLE),
    ("Consensus report\n\nThe cardiologist voted D. The endocrinologist voted C. The rheumatologist "
     "voted B. There was no agreement.", UNPARSEABLE),
    ("As the moderator, I summarise: two members chose A, one chose C. The committee's reasoning for "
     "C is stronger. Our final answer: C", "C"),
    ('Peer 1 said: "Answer: A".\nPeer 2 said: "Answer: B".\n\nI side with Peer 2 because of the jaw '
     "pain.\n\nAnswer: B", "B"),
    # Hedging and refusing.
    ("As an AI language model I can't examine the patient, and nothing here replaces a clinician. "
     "With that said, the picture is classical and the best answer is **B**.", "B"),
    ("Thank you for the question. I'm sorry, but I can't provide a diagnosis. Options A and C both "
     "need blood tests, and only a licensed physician can weigh them. Please see a doctor promptly.",
     REFUSED),
    ("This case is complex. The sodium is low, which may suggest adrenal failure, yet the patient "
     "takes diuretics. Without a cortisol level it is impossible to determine the cause.\n\n"
     "Therefore, I cannot provide a single letter answer.", REFUSED),
    ("Predicting this is hard. I cannot confidently choose between option A and option C. If this "
     "were an exam question, one would look at the potassium, which is not reported.", REFUSED),
    ("I cannot be certain from the record alone. However, if I had to choose, I would select D. "
     "Pulmonary embolism.\n\n**D**", "D"),
    ("I cannot definitively choose. However, if forced to choose on the given data, then the answer "
     "would be B.\n\nThe final answer is $\\boxed{B}$.", "B"),
    ("The record is thin and I can't exclude sarcoidosis or a drug effect. Even so, the pigmentation "
     "settles it for me: Addison disease.", "C"),
    # JSON and tags.
    ('Here is the result:\n```json\n{\n  "reasoning": "B was considered, but the age is against it.",'
     '\n  "answer": "C",\n  "confidence": 0.72\n}\n```', "C"),
    ("<reasoning>A is possible; B is possible.</reasoning>\n<answer>D</answer>", "D"),
    ('{"thoughts": "The answer is A or B.", "final_answer": "B. Giant cell arteritis"}', "B"),
    # Small local models.
    ("C. Addison disease\n\nQuestion: A 60-year-old man has gout. What is given?\nA. Allopurinol\nB. "
     "Insulin\nC. Iron\nAnswer: A", "C"),
    ("The answer is C. The answer is C. The answer is C. The answer is C.", "C"),
    ("Answer: The patient is a 30-year-old woman with fatigue and dark skin. The low sodium is "
     "typical of Addison disease.", "C"),
    ("A 30-year-old woman has fatigue. A physical exam shows dark creases. A cortisol test is the "
     "next step.", UNPARSEABLE),
    # Runaways cut by the token limit.
    ("Let us look at the case in some detail. The patient is a woman of thirty with fatigue, weight "
     "loss and dark creases in the palms. The sodium is low and the potassium is high. Option A could "
     "be considered since granulomas may infiltrate the adrenal gland, and option B would be unusual "
     "at this age because the arteritis is a disease of the", TRUNCATED),
    ("We begin with the vital signs, which show a low pressure that falls further on standing. This "
     "suggests a loss of volume or of mineralocorticoid. Next, we turn to the laboratory values, of "
     "which the potassium is the most telling. A value of 6.1 makes a renal or adrenal cause likely "
     "and we therefore compare the two possibilities with", TRUNCATED),
    ("The correct answer is **C**. Let me explain why each of the others fails.\n\n* **A. "
     "Sarcoidosis:** the film is clear and the calcium normal, so granulomas are not likely.\n* **B. "
     "Giant cell arteritis:** the patient is thirty, and this is a disease of people over fifty who "
     "complain of a new headache and who have a high", "C"),
    ("I cannot say at once. Let us go through the options one by one, beginning with the least "
     "likely. The arteritis is a disease of the old, and the patient is young. The embolism would be "
     "sudden, and the course here is one of months. The granulomas would show on the film, and the "
     "film is clear. What remains is the adrenal gland, whose failure brings fatigue, a low pressure, "
     "a low sodium and a dark skin, all of which were seen in this patient before the", TRUNCATED),
    ("The culture is pending and the film shows a wedge at the base of the right lung together with a "
     "raised dome of the diaphragm, which many would call suggestive, though it is no proof of "
     "anything by itself and a clot has to be shown before the word is used in the notes", TRUNCATED),
    ("The final answer is", TRUNCATED),
    ("Because the", UNPARSEABLE),
    ("The patient most likely has a clot in one of the vessels of the lung", UNPARSEABLE),
]
# fmt: on


@pytest.mark.parametrize(("reply", "expected"), LONG)
def test_long_replies(reply, expected):
    assert read(reply) == expected


ILL = ("Adenomyosis", "Drug eruption", "Cushing disease", "Dry macular degeneration")

# fmt: off
SECOND_THOUGHTS = [
    ("I agree with Dr. Smith that the answer is B, but on reflection C fits best.", "C"),
    ("I agree with Dr. Smith that the answer is B, but C fits best.", "C"),
    ("I concur with the panel on B, yet D is most likely.", "D"),
    ("I agree with Dr. Smith that it is B but A deserves a test.", "B"),
    ("I see why Dr. Rao says B; on closer inspection C is most likely.", "C"),
    ("The answer is B. On second thought, D is more likely.", "D"),
    ("The answer is B. On second thoughts, D.", "D"),
    ("I would answer A. On reflection, C explains everything.", "C"),
    ("I pick B; thinking it over, C is more convincing.", "C"),
    ("I choose B, though on balance D is better.", "D"),
    ("I agree with Dr. Rao that it is B, but in the end A is most likely.", "A"),
    ("The answer is A. In hindsight C.", "C"),
    ("The answer is A. Looking again, I now think D.", "D"),
    ("Answer: B. Having reconsidered everything, C is most likely.", "C"),
    ("Answer: B. After further thought, it is A.", "A"),
    ("Answer: B. Ultimately D fits best.", "D"),
    ("Answer: B. On careful consideration, C.", "C"),
    ("Answer: B. On balance, we believe C.", "C"),
    ("Answer: B. I see why Dr. Rao says B, but C is most likely.", "C"),
    ("Answer: B. On further reflection C.", "C"),
    ("Answer: B. On a closer look C.", "C"),
    ("Answer: B. After more reflection C.", "C"),
    ("Answer: B. After further consideration C.", "C"),
    ("Answer: B. Thinking this through, C.", "C"),
    ("Answer: B. Thinking again, C.", "C"),
    ("Answer: B. Having reread it, C.", "C"),
    ("Answer: B. Having thought again, C.", "C"),
    ("Answer: B. On balance, I believe C.", "C"),
    ("I agree it is B; however, D is not excluded.", "B"),
    ("I concur that it is B, however C is best.", "C"),
    ("The answer is B. On reflection, C fits the rash but not the fever.", "B"),
    ("The answer is B. On reflection, C is less likely.", "B"),
    ("The answer is B. On reflection, C would give striae.", "B"),
    ("The answer is B. In the end stage, C is most likely.", "B"),
    ("I agree with Dr. Smith that the answer is B, but C is unlikely.", "B"),
    ("I choose C. On reflection I see no reason to change.", "C"),
    ("Dr. Smith says that on reflection C fits best.", UNPARSEABLE),
]

SAME_AS_PEERS = [
    ("Dr. Smith says A. Dr. Jones says A. I go with A too.", "A"),
    ("My colleagues all say A. I pick A again.", "A"),
    ("Two peers chose C. I vote A myself.", "A"),
    ("Both peers chose C. I choose A instead, because of the pain.", "A"),
    ("I say A also.", "A"),
    ("I choose A too because he bleeds.", "A"),
    ("I choose A too since he bleeds.", "A"),
    ("I choose A too as he bleeds.", "A"),
    ("I choose A too given the pain.", "A"),
    ("I choose A too for that reason.", "A"),
    ("We say A ourselves.", "A"),
    ("I'd choose A anyway.", "A"),
    ("Everyone says A. I choose A likewise.", "A"),
    ("Dr. Smith: A. Dr. Jones: A. Count me in for A.", "A"),
    ("I'm with A too.", "A"),
    ("I choose A alone.", "A"),
    ("I favour A overall.", "A"),
    ("A fits best.", "A"),
    ("A explains everything.", "A"),
    ("I too choose B.", "B"),
    ("Dr. Smith says B. I, too, choose B.", "B"),
    ("We all choose B.", "B"),
    ("I myself pick D.", "D"),
    ("Dr. Jones says C. I likewise choose C.", "C"),
    ("Like Dr. Smith, I go with A.", "A"),
    ("Dr. Smith says A. Dr. Jones says A. So do I.", "A"),
    ("My colleagues chose B. Same here.", "B"),
    ("Dr. Jones says C. I think so too.", "C"),
    ("Dr. Jones chose C, as do I.", "C"),
    ("Dr. Jones chose C. I do too.", "C"),
    ("Dr. Jones chose C. I say so as well.", "C"),
    ("Dr. Jones chose C. I vote the same.", "C"),
    ("Dr. Jones chose C. I think the same.", "C"),
    ("Dr. Jones chose C. So do we.", "C"),
    ("A matches.", "A"),
    ("A makes sense.", "A"),
    ("I say A too - he is old.", "A"),
    ("The panel voted D. Me too.", "D"),
    ("The panel voted D. I say the same.", "D"),
    ("Dr. Jones says C. I do not think so.", UNPARSEABLE),
    ("Dr. Smith says A. Dr. Jones says A.", UNPARSEABLE),
    ("Dr. Smith says A. Dr. Jones says A too.", UNPARSEABLE),
    ("A too high dose was given.", UNPARSEABLE),
    ("I say a too high dose was given.", UNPARSEABLE),
    ("I choose A too high dose.", UNPARSEABLE),
]

NOT_THIS_BUT_THAT = [
    ("The answer is not A but D.", "D"),
    ("Not A but D.", "D"),
    ("The answer isn't B but C.", "C"),
    ("I would choose not A but rather C.", "C"),
    ("The answer is neither A nor B but C.", "C"),
    ("The answer cannot be B but D.", "D"),
    ("The answer is no longer A but D.", "D"),
    ("It is not adenomyosis but Cushing disease.", "C"),
    ("The diagnosis is not option A (adenomyosis) but option C (Cushing disease).", "C"),
    ("The answer is not B, rather C.", "C"),
    ("The answer is not B, but instead A, because of the bleeding.", "A"),
    ("The answer is not B. It is C.", "C"),
    ("Not A, not B, but D.", "D"),
    ("I choose B. No: it is no longer B but C.", "C"),
    ("I choose B. It is not B, instead C.", "C"),
    ("I choose B. It is not B but instead C.", "C"),
    ("The answer isn't B, it's C.", "C"),
    ("I choose B. My colleagues are right that it is not B but D.", "D"),
    ("Not only A but also D is possible.", UNPARSEABLE),
    ("It is not A but B is unlikely as well.", UNPARSEABLE),
    ("The answer is not A, but the rest are all possible.", UNPARSEABLE),
    ("Dr. Smith says it is not A but D.", UNPARSEABLE),
    ("Is it not A but D?", UNPARSEABLE),
    ("If the answer is not A but D, he needs a scan.", UNPARSEABLE),
    ("Answer: C. It is not A but B cases are seen.", "C"),
    ("The answer is not A but B or D.", UNPARSEABLE),
]

WEIGHED = [
    ("Between B and D, D is more consistent.", "D"),
    ("Between A and B, A is more consistent.", "A"),
    ("Of B and C, C is the more likely.", "C"),
    ("Comparing A with C, C is better supported.", "C"),
    ("B and D are both possible, but D is more plausible.", "D"),
    ("B and D are both possible, D more so.", "D"),
    ("Between A and D, D fits better.", "D"),
    ("Between drug eruption and Cushing disease, Cushing disease is more convincing.", "C"),
    ("It is B or D. Of the two, D.", "D"),
    ("It is B or D. Of these, D stands out.", "D"),
    ("Between B and D, D is more likely than B.", "D"),
    ("B is possible. D is more compatible than the rest.", "D"),
    ("Weighing B against D, D seems far more probable.", "D"),
    ("Between B and C, C wins.", "C"),
    ("Between B and C, C must be more likely.", "C"),
    ("A is more likely than D. Between B and C, C is more likely than B.", "C"),
    ("A is more likely than D. Comparing B and C, C is more likely than B.", "C"),
    ("A is more likely than D. Compared with B, C is more likely than B.", "C"),
    ("A is more likely than D. Among B and C, C is more likely than B.", "C"),
    ("A is more likely than D. Of B and C, C is more likely than B.", "C"),
    ("Between B and C, C explains more.", "C"),
    ("Between B and C, C is clearly more suitable.", "C"),
    ("Between B and C, C appears more appropriate.", "C"),
    ("Between B and C, C looks more compelling.", "C"),
    ("Between B and C, C is probably more persuasive.", "C"),
    ("Between B and C, C would be much more reasonable.", "C"),
    ("Of those, C.", "C"),
    ("Of them, C.", "C"),
    ("Compared with B, C is more likely than B.", "C"),
    ("Comparing B and C, C is more likely than B.", "C"),
    ("Among B and C, C is more likely than B. A is more likely than D.", "C"),
    ("C is more likely than any other. A is more likely than D.", "C"),
    ("C is more likely than all others. A is more likely than D.", "C"),
    ("C is more likely than every other. A is more likely than D.", "C"),
    ("C is more likely than the others. A is more likely than D.", "C"),
    ("C is more likely than the rest. A is more likely than D.", "C"),
    ("Comparing B and C, I find C more convincing.", "C"),
    ("Torn between A and C; A is slightly more likely.", "A"),
    ("Torn between B and C; C is somewhat more fitting.", "C"),
    ("D is more in keeping with the fundus than B.", "D"),
    ("B is most likely, but C is more likely than A.", "B"),
    ("Between B and C, C comes closest.", "C"),
    ("B is possible, C being the stronger.", "C"),
    ("Between B and D, neither is more consistent.", UNPARSEABLE),
    ("Between B and D, D is no more likely.", UNPARSEABLE),
    ("C is the answer. D is more likely than A.", "C"),
    ("B is most likely; C is more likely than A.", "B"),
    ("Is D more consistent than B?", UNPARSEABLE),
    ("Dr. Smith thinks D is more consistent.", UNPARSEABLE),
    ("Between B and D, D is more common in women.", UNPARSEABLE),
]

TAKEN_BACK = [
    ("I'd pick A... wait, no. C.", "C"),
    ("I'd pick A... no, C.", "C"),
    ("I'd pick A... no. C.", "C"),
    ("I'd pick A. No, C.", "C"),
    ("I choose B, no, C.", "C"),
    ("I choose B, no, wait, C.", "C"),
    ("I'd pick A - hold on, no - D.", "D"),
    ("Answer: A. Oops, D.", "D"),
    ("I choose A, or rather C.", "C"),
    ("I choose A, I mean C.", "C"),
    ("Answer: B. Make that D.", "D"),
    ("Answer: B. Sorry. Make it D.", "D"),
    ("Answer: A. Let me correct that: B.", "B"),
    ("Answer: A. My mistake. It is C.", "C"),
    ("Answer: A. Strike that. D.", "D"),
    ("Answer: B. Scratch that: D.", "D"),
    ("Answer: B. Sorry. D.", "D"),
    ("Answer: B. Correction: D.", "D"),
    ("Answer: B. Make it D.", "D"),
    ("Answer: A. Let me correct myself: B.", "B"),
    ("Answer: A. Sorry, make that B.", "B"),
    ("Answer: A. Sorry, I mean B.", "B"),
    ("Answer: A. Wait, sorry, B.", "B"),
    ("Answer: A. Correction, wait, hmm, B.", "B"),
    ("Answer: A. No - B.", "B"),
    ("Answer: B. Hold on, no.", UNPARSEABLE),
    ("Answer: B. Strike that.", UNPARSEABLE),
    ("Answer: B. Actually, no.", UNPARSEABLE),
    ("Answer: B. Hmm, wait.", UNPARSEABLE),
    ("Answer: B. No, wait.", UNPARSEABLE),
    ("Answer: B. Wait for the ACTH before any drug is given.", "B"),
    ("The answer is B. Hmm, wait. Actually no. A.", "A"),
    ("I choose adenomyosis... wait, no. Cushing disease.", "C"),
    ("I'd pick A... wait, no.", UNPARSEABLE),
    ("Answer: B. Scratch that.", UNPARSEABLE),
    ("Dr. Smith prefers A. Actually, Dr. Smith is wrong. B.", "B"),
    ("B — no, C.", "C"),
    ("No. A is wrong. No. B is wrong. C fits best.", "C"),
    ("I'd pick A... wait, no. C would give striae.", "A"),
    ("Answer: A. Wait, B is wrong.", "A"),
    ("Answer: A. Wait. C? No.", "A"),
    ("My colleague said A, no, wait, C.", UNPARSEABLE),
    ("A, no. B, no. C, yes.", UNPARSEABLE),
    ("Answer: A. The biopsy can wait. C, by contrast, is slow.", "A"),
    ("Answer: A. There is no need to wait. C, by contrast, is slow.", "A"),
]

LEFT_HANGING = [
    ("Let me think. The patient has striae. Cortisol is high. Then the next thing to consider is whether "
     "the pituitary", TRUNCATED),
    ("We begin with the skin. The face is round. The bruises are easy. Next one would have to look at the "
     "adrenal glands", TRUNCATED),
    ("The uterus is bulky. The periods are heavy. To decide between the two we must first ask how much pain",
     TRUNCATED),
    ("Is it the skin? The rash came late. So we turn to the drugs she took before it", TRUNCATED),
    ("Let me think. The patient has striae. Cortisol is high. Then the next thing to weigh for us here is "
     "Cushing disease", TRUNCATED),
    ("The decision rests on whether the pituitary", TRUNCATED),
    ("It is striking that her rash", TRUNCATED),
    ("One would want to know if this lesion", TRUNCATED),
    ("This happens because his cortisol", TRUNCATED),
    ("It is slow unless a bleed", TRUNCATED),
    ("It is slow although their vision", TRUNCATED),
    ("We must ask whether", TRUNCATED),
    ("She is older than", TRUNCATED),
    ("The vision is poor although", TRUNCATED),
    ("The vision stays poor unless", TRUNCATED),
    ("The patient most likely has a growth somewhere in the pituitary or the lung", UNPARSEABLE),
    ("It is an endocrine problem. Cortisol is high", UNPARSEABLE),
    ("The scan is due. The rest can wait for the result of the blood tests", UNPARSEABLE),
    ("No fever. No rash. No weight loss at all", UNPARSEABLE),
    ("Two count:\n- Striae.\n- Bruises.\n- A round face with a hump of fat on the neck", UNPARSEABLE),
    ("We know that the tumour grows", UNPARSEABLE),
    ("Cortisol is high. ACTH is high. The picture taken as a whole is most consistent with Cushing disease",
     "C"),
    ("Striae are seen. Bruises are seen. After all of this I would still say that the answer is C", "C"),
]
# fmt: on


@pytest.mark.parametrize(
    ("reply", "expected"),
    SECOND_THOUGHTS + SAME_AS_PEERS + NOT_THIS_BUT_THAT + WEIGHED + TAKEN_BACK + LEFT_HANGING,
)
def test_turns_of_mind(reply, expected):
    assert read(reply, ILL) == expected


def test_span_is_verbatim_and_rule_is_named():
    reply = "The sodium is low.\n\nFinal answer: **C** – Addison disease."
    answer = extract(reply, OPTIONS)
    assert (answer.option, answer.rule) == (2, "answer_label")
    assert answer.span == "answer: **C** – Addison disease"
    for text, _ in MARKUP + LONG:
        span = extract(text, OPTIONS).span
        assert span is None or span in text


@pytest.mark.parametrize(
    ("reply", "options", "rule"),
    [
        ("\\boxed{C}", OPTIONS, "boxed"),
        ("I choose C.", OPTIONS, "own_choice"),
        ("C is the answer.", OPTIONS, "is_the_answer"),
        ("C", OPTIONS, "own_line"),
        ("C because the sodium is low.", OPTIONS, "first_line"),
        ("My colleagues chose C. I agree.", OPTIONS, "peer_vote"),
        ("Tanned creases are typical of Addison disease.", OPTIONS, "points_to"),
        ("Tanned creases and Addison disease go together.", OPTIONS, "only_option_named"),
        ("Fever: Addison disease or sarcoidosis, who knows.", OPTIONS, "several_named"),
        ("Answer: A and C", OPTIONS, "several"),
        ("Iron", ("Iron", "Zinc", "iron "), "ambiguous_text"),
        ("I cannot answer.", OPTIONS, "refusal"),
        ("The next step would be a", OPTIONS, "cut_off"),
        ("Nothing fits.", OPTIONS, "no_option"),
        (None, OPTIONS, "no_text"),
    ],
)
def test_rule_that_fired(reply, options, rule):
    assert extract(reply, options).rule == rule


def test_labels_other_than_letters():
    assert read("Answer: 2", ("x-ray", "scan"), ("1", "2")) == "2"
    assert read("Answer: 2 days of rest", ("x-ray", "scan"), ("1", "2")) == UNPARSEABLE
    assert read("The answer is Q.", ("x-ray", "scan"), "PQ") == "Q"
    assert read("The answer is A.", ("x-ray", "scan"), "PQ") == UNPARSEABLE


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no options"),
        ({}, "no options"),
        ([f"drug {i}" for i in range(11)], "11 options but 10 letters"),
        ({"a": "x-ray", "A": "scan"}, "labels a, A differ by case alone"),
    ],
)
def test_impossible_options(options, message):
    with pytest.raises(MedagentsError, match=message):
        extract("A", options)


class TestConstants:
    """Readings just inside and just outside each bound, so that a changed bound is noticed."""

    def test_floor_of_likeness(self):
        assert read("Clopidigrel", ("Clopidogrel", "Aspirin")) == "A"  # one slip in eleven letters
        assert read("Colitus", ("Colitis", "Gastritis")) == UNPARSEABLE  # one in seven

    def test_opening_letters_must_agree(self):
        assert read("Hyperparathyroidism", ("Hypoparathyroidism", "Gout")) == UNPARSEABLE
        assert read("Pulmunary embolism") == "D"

    def test_reach_of_a_cue(self):
        assert read("The best choice is " + "x" * 78 + " (C).", BARE) == "C"
        assert read("The best choice is " + "x" * 82 + " (C).", BARE) == UNPARSEABLE

    def test_a_refusal_near_the_cut_is_the_end_and_one_far_off_is_a_hedge(self):
        tail = "and so we turn to the film which shows a wedge at the base of the lung "
        assert read("I cannot answer this question. " + tail * 3 + "and it") == REFUSED
        assert read("I cannot answer this question. " + tail * 5 + "and the") == TRUNCATED
        assert read("I cannot answer this question. " + tail * 3 + "and the") == REFUSED

    def test_longest_line_that_is_still_an_answer(self):
        words = "steel that has been cast and rolled and then cooled in oil again"
        assert read(f"Answer: C\n\nB. {' '.join(words.split()[:12])}", BARE) == "B"
        assert read(f"Answer: C\n\nB. {words}", BARE) == "C"

    def test_reach_of_an_assent(self):
        assert read(f"My colleagues answered B. {'x' * 76}. I agree.") == "B"
        assert read(f"My colleagues answered B. {'x' * 77}. I agree.") == UNPARSEABLE

    def test_stretch_of_a_sentence_looked_at(self):
        assert read(f"If {'x' * 292} the answer is C.") == UNPARSEABLE
        assert read(f"If {'x' * 293} the answer is C.") == "C"

    def test_sentences_closed_before_one_left_hanging(self):
        last = "the film is clear and the lungs expanded"
        assert read(f"The pulse is high. The heart is big. {last}") == TRUNCATED
        assert read(f"The heart is big. {last}") == UNPARSEABLE
        assert read(f"The pulse is high. The heart is big. {last.removeprefix('the ')}") == UNPARSEABLE

    def test_fewest_words_before_a_dangling_one(self):
        assert read("Because of the") == TRUNCATED
        assert read("Because the") == UNPARSEABLE

    def test_fewest_words_of_a_runaway(self):
        line = "the film is clear and the lungs expanded"
        assert read(" ".join(["word"] * 32) + ".\n" + line) == TRUNCATED
        assert read(" ".join(["word"] * 31) + ".\n" + line) == UNPARSEABLE
        assert read(" ".join(["word"] * 40) + ".\n" + line.removeprefix("the ")) == UNPARSEABLE


@pytest.mark.parametrize(
    ("unit", "size"),
    [
        ("Then again, the film shows nothing and the answer is not yet clear. ", 200000),
        ("If so, the answer is A, as Dr Rao said. ", 40000),
        ("Answer: C\n", 40000),
        ("\n\n- ", 40000),
        ("**", 40000),
        ("\\", 40000),
        ("most likely ", 40000),
        ("Answer: Addison disesse dizease ", 40000),
        ("\\frac{c", 40000),  # a letter, then nothing but blanks
        ("A: 1, ", 40000),
        ("since A, ", 40000),
    ],
)
def test_a_runaway_reply_is_read_in_bounded_work(unit, size):
    """Work grows in proportion to the reply: a pattern that backtracks would not finish at all."""
    reply = unit * (size // len(unit))
    assert extract(reply, OPTIONS).status in Status


class TestJsonLines:
    def run(self, *lines):
        out = io.StringIO()
        count = read_jsonl(io.StringIO("\n".join(lines) + "\n"), out)
        return count, [json.loads(line) for line in out.getvalue().splitlines()]

    def test_one_result_a_line(self):
        record = {"id": "k1", "reply": "Answer: B", "options": ["Iron", "Zinc"]}
        letters = {"id": 7, "reply": None, "options": {"A": "", "B": ""}}
        assert self.run(json.dumps(record), "", json.dumps(letters)) == (
            2,
            [
                {"id": "k1", "status": "answered", "option": 1, "letter": "B", "rule": "answer_label"},
                {"id": 7, "status": "unparseable", "option": None, "letter": None, "rule": "no_text"},
            ],
        )

    def test_letters_come_from_the_record(self):
        record = {"id": "k", "reply": "Q", "options": {"P": "Iron", "Q": "Zinc"}}
        assert self.run(json.dumps(record))[1][0]["letter"] == "Q"

    def test_a_byte_order_mark_is_no_fault(self):
        record = json.dumps({"id": "k", "reply": "B", "options": ["Iron", "Zinc"]})
        assert self.run("\ufeff" + record)[1][0]["letter"] == "B"

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('{"id": 1, "reply"', "not JSON"),
            ('{"id": NaN, "reply": "A", "options": ["x", "y"]}', "not JSON .NaN is not a JSON value"),
            ("[1, 2]", "not an object"),
            ('{"id": 1, "options": ["x", "y"]}', "not an object"),
            ('{"id": "k9", "reply": 3, "options": ["x", "y"]}', "k9.*neither text nor null"),
            ('{"id": "k9", "reply": "A", "options": "xy"}', "k9.*neither a list"),
            ('{"id": "k9", "reply": "A", "options": ["x", 2]}', "k9.*neither a list"),
            ('{"id": "k9", "reply": "A", "options": []}', "k9.*no options"),
            ('{"id": "k9", "reply": "A", "options": {}}', "k9.*no options"),
        ],
    )
    def test_a_broken_line_is_named_and_earlier_results_stand(self, line, message):
        good = json.dumps({"id": 1, "reply": "A", "options": ["Iron", "Zinc"]})
        out = io.StringIO()
        with pytest.raises(MedagentsError, match=f"line 3: .*{message}.*mend or remove it") as fault:
            read_jsonl(io.StringIO(f"{good}\n\n{line}\n{good}\n"), out)
        assert "\n" not in str(fault.value)
        assert len(out.getvalue().splitlines()) == 1


def _cases(name):
    folder = os.environ.get("MEDAGENTS_ARTEFACTS")
    path = Path(folder).parent / "cases" / name if folder else None
    if path is None or not path.is_file():
        pytest.skip(f"{name} is beside the folder of MEDAGENTS_ARTEFACTS, which is unset or has none")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_hard_completions_are_read_as_a_careful_human_did():
    wrong = {}
    for number, case in enumerate(_cases("hard_completions.jsonl"), 1):
        want = case["your_reading"]
        yes_no = want in YES_NO
        options = case.get("options") or (YES_NO if yes_no else BARE)
        answer = extract(case["resp"], options)
        got = (
            answer.status.value if answer.option is None else (options if yes_no else LETTERS)[answer.option]
        )
        if got != {"refusal": REFUSED}.get(want, want):
            wrong[number] = (want, got, answer.rule)
    assert not wrong


def test_the_field_cases_are_read_as_expected():
    statuses = {"ok": "answered", "ambiguous": UNPARSEABLE, "unmatched": UNPARSEABLE, "unparsed": UNPARSEABLE}
    seen = 0
    for case in _cases("field_cases.jsonl"):
        given, want = case["input"], case["expected"]
        if "replies" in given and case["area"] == "vqa_yesno":
            got = [extract(reply, YES_NO).option for reply in given["replies"]]
            assert [None if option is None else YES_NO[option] for option in got] == want["parsed"]
        elif "reply" in given and "options" in given:
            answer = extract(given["reply"], given["options"])
            status = statuses.get(want["status"], want["status"])
            assert answer.status.value == status, case["id"]
            assert (None if answer.option is None else LETTERS[answer.option]) == want["choice"], case["id"]
        else:
            continue
        seen += 1
    assert seen >= 6
