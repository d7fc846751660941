"""Replies of every kind beside near misses of it, each read by hand before it was put to the reader."""

import pytest

from medagents.answers import extract, labelled

REFUSED, UNPARSEABLE, TRUNCATED = "refused", "unparseable", "truncated"

# fmt: off
OPTIONS = ("Sarcoidosis", "Giant cell arteritis", "Addison disease", "Pulmonary embolism")
NESTED = ("Hypertension", "Portal hypertension", "Pulmonary arterial hypertension", "No hypertension")
ARTICLES = ("A fall in potassium", "An increase in sodium", "The loss of a nephron", "A rise in potassium")
YES_NO = ("yes", "no")
YES_NO_MAYBE = ("yes", "no", "maybe")
FATE = ("Survived", "Died in hospital")
TEN = ("Gene alpha", "Gene beta", "Gene gamma", "Gene delta", "Gene kappa", "Gene sigma", "Gene omega",
    "Gene theta", "Gene zeta", "Gene tau")
ANTIBIOTICS = ("Amoxicillin", "Amoxicillin-clavulanate", "Ceftriaxone", "Vancomycin",
    "Ceftriaxone and vancomycin")
BARE = dict.fromkeys("ABCDE", "")
STEPS = ("Start insulin", "Stop metformin", "Order an MRI", "Refer to surgery", "Reassure and discharge")
CLOT = ("Heparin", "Warfarin", "Aspirin", "Clopidogrel")
RISKS = ("<5%", "5-10%", ">10%", ">20%")
POWERS = ("2", "4", "8", "16")
GROUPS = ("A", "B", "AB", "O")
TESTS = ("Serum cortisol", "Serum cortisol and ACTH", "An ACTH stimulation test", "Random glucose")
EYES = ("The optic nerve", "A cataract", "An early cataract", "Optic neuritis")
INHERITED = ("Autosomal dominant", "Autosomal recessive", "X-linked recessive", "X-linked dominant",
    "Mitochondrial")
VITAMINS = ("Vitamin A", "Vitamin B12", "Vitamin C", "Vitamin D")
VIRUSES = ("Hepatitis A virus", "Hepatitis B virus", "Hepatitis C virus", "Influenza A virus")
RASHES = ("Measles", "Mumps", "Rubella", "Varicella", "Scarlet fever", "Roseola")
DAYS = ("1 day", "2 days", "12 days", "21 days")
ABOVE = ("All of the above", "None of the above", "Fever", "Rash")
CARE = ("Observation", "Surgery", "Surgery with radiotherapy", "Radiotherapy", "A course of steroids")
RHYTHM = ("Atrial fibrillation", "Atrial flutter", "Ventricular fibrillation", "Sinus rhythm",
    "No abnormality")

LAST_WINS = [
    ("Answer: A\nHmm, the nodes are missing.\nRevised answer: C", OPTIONS, "C"),
    ("Initial answer: A. Final answer: D.", OPTIONS, "D"),
    ("I first chose B. After review I choose D.", OPTIONS, "D"),
    ("My vote is A. Actually, make that B.", OPTIONS, "B"),
    ("ANSWER: B\n\nANSWER: B\n\nANSWER: D", OPTIONS, "D"),
    ("Draft: C\nFinal: A", OPTIONS, "A"),
    ("I was going to say A, but the answer is B.", OPTIONS, "B"),
    ("The answer is D.\n\nEdit: the answer is C.", OPTIONS, "C"),
    ("I change my vote from C to A.", OPTIONS, "A"),
    ("Switching to D.", OPTIONS, "D"),
    ("Updated answer: (B)", OPTIONS, "B"),
    ("Round 1: A. Round 2: B. Round 3: B.", OPTIONS, "B"),
    ("**Answer:** A\n\n---\n\nUpon further review, **Answer:** B", OPTIONS, "B"),
    ("I no longer think it is A. My answer is now B.", OPTIONS, "B"),
    ("Answer: C. I considered A before settling on C.", OPTIONS, "C"),
    ("Answer: C. I had considered A.", OPTIONS, "C"),
    ("Answer: D. I almost chose A.", OPTIONS, "D"),
    ("I'd answered A, but having seen the potassium I answer C.", OPTIONS, "C"),
    ("Answer: B (I changed from A).", OPTIONS, "B"),
]
ANSWER_FIRST = [
    ("The answer is B.\n\n- A is wrong because there are no nodes.\n- C is wrong because "
     "sodium is normal.\n- D is wrong because there is no dyspnoea.", OPTIONS, "B"),
    ("**B. Giant cell arteritis**\n\n- **Sarcoidosis (A)**: no nodes\n- **Addison disease "
     "(C)**: sodium normal\n- **Pulmonary embolism (D)**: chest clear", OPTIONS, "B"),
    ("C\n\nA - no nodes\nB - too young\nD - no dyspnoea", OPTIONS, "C"),
    ("Answer: A\n\nWhy not the others?\nB: needs age over 50\nC: sodium would be low\nD: "
     "would be acute", OPTIONS, "A"),
    ("D is correct.\n\n* A: the ACE is normal.\n* B: the pulse is fine.\n* C: the sodium is "
     "normal.\n* D: explains the calf.", OPTIONS, "D"),
    ("Correct answer: **A**\n\n1. **A (correct)** – hilar nodes.\n2. **B (incorrect)** – "
     "young.\n3. **C (incorrect)** – sodium normal.\n4. **D (incorrect)** – slow.", OPTIONS, "A"),
    ("The best answer is Addison disease.\n\n• Sarcoidosis: lungs clear.\n• Giant cell "
     "arteritis: too young.\n• Pulmonary embolism: not acute.", OPTIONS, "C"),
    ("Explanation of each option:\n- A: would be the answer in a patient with nodes.\n- B: "
     "would be the answer in a patient over 50.\n- C: is the answer here.\n- D: would be "
     "the answer after a flight.", OPTIONS, "C"),
    ("B.\n\nOption A would be the correct answer if nodes were present.", OPTIONS, "B"),
    ("A) Sarcoidosis\n\nExplanation:\n\nB) Giant cell arteritis is wrong: age.\nC) Addison "
     "disease is wrong: sodium.\nD) Pulmonary embolism is wrong: slow onset.", OPTIONS, "A"),
    ("I choose B.\n\nA: This would be my choice with nodes.\nC: This would be my choice "
     "with low sodium.", OPTIONS, "B"),
]
FORMS = [
    ("Answer: \\boxed{B}", OPTIONS, "B"),
    ("The answer is **(C)**", OPTIONS, "C"),
    ("__Final Answer: D__", OPTIONS, "D"),
    ("$\\boxed{(D)}$", OPTIONS, "D"),
    ("\\boxed{\\text{Option B}}", OPTIONS, "B"),
    ("\\boxed{\\mathrm{D}}", OPTIONS, "D"),
    ("\\boxed{\\text{The answer is A}}", OPTIONS, "A"),
    ("(a)", OPTIONS, "A"),
    ("Answer: (d) Pulmonary embolism.", OPTIONS, "D"),
    ("**Answer: C**\n**Confidence: 0.9**", OPTIONS, "C"),
    ("[Answer] B", OPTIONS, "B"),
    ("<answer>Option A</answer>", OPTIONS, "A"),
    ("ANSWER:\n**B**", OPTIONS, "B"),
    ("The answer: b", OPTIONS, "B"),
    ("Final Answer\nC", OPTIONS, "C"),
    ("*C*", OPTIONS, "C"),
    ("~~A~~ B", OPTIONS, "B"),
    ("Answer: A~~B~~", OPTIONS, "A"),
    ("{\"choice\": \"D\", \"why\": \"A and B are wrong\"}", OPTIONS, "D"),
    ("{\"A\": 0.2, \"B\": 0.5, \"C\": 0.2, \"D\": 0.1}", OPTIONS, "B"),
    ("answer=C", OPTIONS, "C"),
    ("#### B", OPTIONS, "B"),
    ("The correct letter is D.", OPTIONS, "D"),
    ("I'd say it's (B).", OPTIONS, "B"),
    ("My answer would have to be C.", OPTIONS, "C"),
    ("It has to be D.", OPTIONS, "D"),
    ("My final vote goes to A.", OPTIONS, "A"),
    ("Locking in B.", OPTIONS, "B"),
    ("Let me go with D.", OPTIONS, "D"),
    ("Let's go with B.", OPTIONS, "B"),
    ("We should choose C.", OPTIONS, "C"),
    ("C. Final answer.", OPTIONS, "C"),
    ("C - final answer", OPTIONS, "C"),
    ("Option B it is", OPTIONS, "B"),
    ("Verdict: A.", OPTIONS, "A"),
    ("Answer — A, sarcoidosis", OPTIONS, "A"),
]
OPTION_TEXTS = [
    ("Addison disease is the diagnosis.", OPTIONS, "C"),
    ("It is Addison disease.", OPTIONS, "C"),
    ("She has sarcoidosis.", OPTIONS, "A"),
    ("The patient most likely has giant cell arteritis.", OPTIONS, "B"),
    ("This is a case of pulmonary embolism.", OPTIONS, "D"),
    ("The findings suggest pulmonary embolism rather than sarcoidosis.", OPTIONS, "D"),
    ("Pulmonary embolism explains this better than sarcoidosis.", OPTIONS, "D"),
    ("portal hypertension", NESTED, "B"),
    ("Answer: hypertension", NESTED, "A"),
    ("The answer is portal hypertension, not hypertension.", NESTED, "B"),
    ("Answer: Pulmonary arterial hypertension", NESTED, "C"),
    ("no hypertension", NESTED, "D"),
    ("There is no hypertension.", NESTED, "D"),
    ("She has hypertension, most likely portal hypertension.", NESTED, "B"),
    ("Answer: Amoxicillin-clavulanate", ANTIBIOTICS, "B"),
    ("amoxicillin clavulanate", ANTIBIOTICS, "B"),
    ("Amoxicillin", ANTIBIOTICS, "A"),
    ("The answer is ceftriaxone and vancomycin.", ANTIBIOTICS, "E"),
    ("Ceftriaxone and vancomycin", ANTIBIOTICS, "E"),
    ("Ceftriaxone", ANTIBIOTICS, "C"),
    ("I would give ceftriaxone and vancomycin.", ANTIBIOTICS, "E"),
    ("Answer: A fall in potassium", ARTICLES, "A"),
    ("An increase in sodium", ARTICLES, "B"),
    ("A rise in potassium.", ARTICLES, "D"),
    ("The answer is a rise in potassium.", ARTICLES, "D"),
    ("Answer: D. A rise in potassium", ARTICLES, "D"),
    ("Rise in potassium", ARTICLES, "D"),
    ("The answer is the loss of a nephron.", ARTICLES, "C"),
    ("Answer: Loss of a nephron", ARTICLES, "C"),
    ("A rise in potassium is expected, so the answer is D.", ARTICLES, "D"),
    ("Answer: A", ARTICLES, "A"),
    ("Increase in sodium", ARTICLES, "B"),
    ("Order an MRI", STEPS, "C"),
    ("Next step: Order an MRI.", STEPS, "C"),
    ("The next best step is to stop metformin.", STEPS, "B"),
    ("Do not start insulin. Refer to surgery.", STEPS, "D"),
    ("Stop metformin.", STEPS, "B"),
    ("I'd reassure and discharge.", STEPS, "E"),
    ("Start insulin now; an MRI can wait.", STEPS, "A"),
]
PEERS = [
    ("Peer A says B. Peer B says B. I say C.", OPTIONS, "C"),
    ("Doctor 1: A. Doctor 2: A. My answer: D", OPTIONS, "D"),
    ("Two of my colleagues prefer A. That is a mistake: the potassium is high. C.", OPTIONS, "C"),
    ("Despite the majority choosing A, I choose C.", OPTIONS, "C"),
    ("As Dr. Smith points out, \"the answer is A\". I think otherwise: B.", OPTIONS, "B"),
    ("Agent 1's answer (A) overlooks the ECG. My answer is D.", OPTIONS, "D"),
    ("I side with Agent 2, who chose D.", OPTIONS, "D"),
    ("The majority says B, and I'm going along with it.", OPTIONS, UNPARSEABLE),
    ("Dr. Lee: \"I choose A.\" Dr. Kim: \"I choose A.\"", OPTIONS, UNPARSEABLE),
    ("Dr. Lee: I choose A.\nDr. Kim: I choose A.\nMe: I choose D.", OPTIONS, "D"),
    ("My colleague chose A but I am not convinced. D.", OPTIONS, "D"),
    ("I agree with the choice of B.", OPTIONS, "B"),
    ("I disagree with A. The answer is B.", OPTIONS, "B"),
    ("I disagree with B.", OPTIONS, UNPARSEABLE),
    ("Both colleagues answered D, and I agree: D.", OPTIONS, "D"),
    ("The user claims the answer is A, but the evidence supports C.", OPTIONS, "C"),
    ("The expert said A; nevertheless I hold to B.", OPTIONS, "B"),
    ("The chart reviewer wrote 'Answer: A' in error. B is right.", OPTIONS, "B"),
    ("You said that the answer is A. I don't agree, I'd choose D.", OPTIONS, "D"),
]
REFUSALS = [
    ("I'm sorry, but I cannot provide a diagnosis.", OPTIONS, REFUSED),
    ("I can't help with medical questions.", OPTIONS, REFUSED),
    ("I am not able to provide medical advice. Please consult a healthcare professional.", OPTIONS, REFUSED),
    ("I'm unable to assist with that request. However, from the options, B fits best.", OPTIONS, "B"),
    ("As an AI, I cannot diagnose. That said, the answer is C.", OPTIONS, "C"),
    ("I don't know. If I must choose: D", OPTIONS, "D"),
    ("I don't have enough information.\n\nAnswer: B", OPTIONS, "B"),
    ("There is not enough information to determine the answer.", OPTIONS, REFUSED),
    ("I would rather not choose.", OPTIONS, REFUSED),
    ("Sorry, no.", OPTIONS, UNPARSEABLE),
    ("I decline to answer.", OPTIONS, REFUSED),
    ("I must abstain.", OPTIONS, REFUSED),
    ("I abstain.", OPTIONS, REFUSED),
    ("I cannot choose between A and B, so I abstain.", OPTIONS, REFUSED),
    ("I cannot choose any of these.", OPTIONS, REFUSED),
    ("I'm not comfortable choosing, but my best guess would be A.", OPTIONS, "A"),
]
HEDGES = [
    ("It's hard to say, but I'd go with B.", OPTIONS, "B"),
    ("I cannot be completely sure, but C.", OPTIONS, "C"),
    ("I'm not certain, but the answer is A.", OPTIONS, "A"),
    ("This is not medical advice. Answer: D", OPTIONS, "D"),
    ("Answer: D. This is not medical advice; consult a doctor.", OPTIONS, "D"),
    ("I can't be 100% certain. C.", OPTIONS, "C"),
    ("We cannot exclude A, but D is the best answer.", OPTIONS, "D"),
    ("Difficult, but probably B.", OPTIONS, "B"),
    ("While I can't examine the patient, C is the most likely.", OPTIONS, "C"),
    ("Without more data I can't be sure; still, A is the most likely.", OPTIONS, "A"),
    ("The patient can't say when it began. B.", OPTIONS, "B"),
    ("Perhaps B?", OPTIONS, UNPARSEABLE),
    ("Maybe C.", OPTIONS, "C"),
    ("I'm torn between A and B.", OPTIONS, UNPARSEABLE),
]
CUT = [
    ("Let me consider the options. A is possible since there may be nodes, B is less so "
     "since she is young, and C could explain the skin. To decide between them I need to "
     "weigh the potassium against the film, and the film shows that the", OPTIONS, TRUNCATED),
    ("The answer is C. The answer is based on the sodium, which is low, and on the "
     "potassium, which is high, and on the skin, which is dark in the creases of the hands "
     "and on the gums and in the scars that she has had for many years and the", OPTIONS, "C"),
    ("Step 1: read the case. Step 2: think about each option in turn. Option A involves "
     "granulomas, which can be found in the lungs, the skin, the eyes and the", OPTIONS, TRUNCATED),
]
NOTHING = [
    (None, OPTIONS, UNPARSEABLE),
    ("   ", OPTIONS, UNPARSEABLE),
    ("...", OPTIONS, UNPARSEABLE),
    ("N/A", OPTIONS, UNPARSEABLE),
    ("None", OPTIONS, UNPARSEABLE),
    ("null", OPTIONS, UNPARSEABLE),
]
PLAIN_YES_AND_NO = [
    ("Yes.", YES_NO, "A"),
    ("yes, it does", YES_NO, "A"),
    ("No, it does not.", YES_NO, "B"),
    ("Answer: NO", YES_NO, "B"),
    ("\\boxed{Yes}", YES_NO, "A"),
    ("The answer is: **no**", YES_NO, "B"),
    ("I would say no.", YES_NO, "B"),
    ("My answer is yes.", YES_NO, "A"),
    ("Yes, because no other cause fits.", YES_NO, "A"),
    ("No. Yes would require an opacity.", YES_NO, "B"),
    ("It depends.", YES_NO, UNPARSEABLE),
    ("There's no sign of fracture.", YES_NO, "B"),
    ("Not seen.", YES_NO, UNPARSEABLE),
    ("Maybe", YES_NO_MAYBE, "C"),
    ("Answer: maybe", YES_NO_MAYBE, "C"),
    ("maybe not", YES_NO_MAYBE, UNPARSEABLE),
    ("The evidence is mixed: maybe.", YES_NO_MAYBE, "C"),
    ("Yes or no? Yes.", YES_NO, "A"),
    ("Yes, there might be a nodule; no effusion.", YES_NO, "A"),
]
TWO_TO_TEN = [
    ("Survived", FATE, "A"),
    ("The patient survived.", FATE, "A"),
    ("B", FATE, "B"),
    ("She likely died in hospital.", FATE, "B"),
    ("The patient did not survive.", FATE, UNPARSEABLE),
    ("Answer: J", TEN, "J"),
    ("Gene tau", TEN, "J"),
    ("I choose I.", TEN, "I"),
    ("The answer is H, gene theta.", TEN, "H"),
    ("I am unsure.", TEN, UNPARSEABLE),
    ("I, because gene zeta is mutated.", TEN, "I"),
    ("Option I", TEN, "I"),
    ("G", TEN, "G"),
    ("K", TEN, UNPARSEABLE),
    ("Answer: Gene beta", TEN, "B"),
]
BOUNDS = [
    ("<5%", RISKS, "A"),
    (">10%", RISKS, "C"),
    ("Answer: >20%", RISKS, "D"),
    ("5-10%", RISKS, "B"),
    ("5–10 %", RISKS, "B"),
    ("The risk is >10%.", RISKS, "C"),
    ("10%", RISKS, UNPARSEABLE),
    ("> 20 %", RISKS, "D"),
    ("less than 5%", RISKS, UNPARSEABLE),
]
OTHER_CASES = [
    ("The answer is D. In a younger patient, I would choose B.", OPTIONS, "D"),
    ("C. If the cortisol had been normal, the answer would have been A.", OPTIONS, "C"),
    ("B would be right in an older woman. Here it is C.", OPTIONS, "C"),
    ("For this patient, the answer is C.", OPTIONS, "C"),
    ("In this patient the answer is C.", OPTIONS, "C"),
    ("In a 60-year-old woman with jaw pain, the answer is B.", OPTIONS, "B"),
    ("In patients with hilar nodes, the answer is A. This patient has none. The answer is D.", OPTIONS, "D"),
    ("Without a biopsy, the best answer is A.", OPTIONS, "A"),
    ("With these findings, I choose D.", OPTIONS, "D"),
    ("Given a normal film, the answer is C.", OPTIONS, "C"),
    ("Answer: C (A only if nodes are found)", OPTIONS, "C"),
    ("Answer: C; otherwise B.", OPTIONS, "C"),
]
CHOICES_IN_ORDER = [
    ("Most likely: C. Second most likely: A.", OPTIONS, "C"),
    ("1st: C; 2nd: A", OPTIONS, "C"),
    ("First choice: D. Backup: A.", OPTIONS, "D"),
    ("Top choice: C\nRunner-up: A", OPTIONS, "C"),
    ("Best: C. Worst: A.", OPTIONS, "C"),
    ("Primary diagnosis: C. Alternative diagnosis: A.", OPTIONS, "C"),
    ("Best answer: B\nLeast likely answer: D", OPTIONS, "B"),
    ("The least likely is A.", OPTIONS, UNPARSEABLE),
    ("The worst choice is A. The best is C.", OPTIONS, "C"),
]
ELIMINATED = [
    ("Correct answer: C\nIncorrect answers: A, B, D", OPTIONS, "C"),
    ("Wrong answer: A. Right answer: C.", OPTIONS, "C"),
    ("Eliminated: A, B, D.\nRemaining: C", OPTIONS, "C"),
    ("Ruled out: A, B. Selected: D", OPTIONS, "D"),
    ("Not A. Not B. Not D. So C.", OPTIONS, "C"),
    ("It can't be A, B or D.", OPTIONS, UNPARSEABLE),
    ("A is incorrect. B is incorrect. D is incorrect.", OPTIONS, UNPARSEABLE),
]
JUDGED_ONE_BY_ONE = [
    ("A (no), B (no), C (yes), D (no)", OPTIONS, "C"),
    ("A: incorrect\nB: correct\nC: incorrect\nD: incorrect", OPTIONS, "B"),
]
SHARES = [
    ("A: 10%\nB: 20%\nC: 60%\nD: 10%", OPTIONS, "C"),
    ("A - 10%, B - 20%, C - 60%, D - 10%\nAnswer: C", OPTIONS, "C"),
    ("A: 0.4, B: 0.4, C: 0.2", OPTIONS, UNPARSEABLE),
    ("P(A)=0.1, P(B)=0.7, P(C)=0.1, P(D)=0.1", OPTIONS, "B"),
    ("Confidence: A 10, B 80, C 5, D 5", OPTIONS, UNPARSEABLE),
]
TICKED = [
    ("(x) A ( ) B ( ) C ( ) D", OPTIONS, "A"),
    ("☐ A\n☐ B\n☑ C\n☐ D", OPTIONS, "C"),
    ("A ❌\nB ❌\nC ✅\nD ❌", OPTIONS, "C"),
    ("✅ C\n❌ A\n❌ B", OPTIONS, "C"),
    ("- [ ] A. Sarcoidosis\n- [ ] B. Giant cell arteritis\n- [ ] C. Addison disease\n- [x] "
     "D. Pulmonary embolism", OPTIONS, "D"),
    ("[x] A\n[x] B\n[ ] C\n[ ] D", OPTIONS, UNPARSEABLE),
]
RANKED = [
    ("D > C > B > A", OPTIONS, "D"),
    ("A < B < C", OPTIONS, "C"),
    ("C ≫ A", OPTIONS, "C"),
    ("Likelihood: C > A > B > D", OPTIONS, "C"),
    ("Order of likelihood: D, C, A, B", OPTIONS, "D"),
    ("From most to least likely: B, A, C, D", OPTIONS, "B"),
    ("Ranked from least to most likely: B, A, C, D", OPTIONS, UNPARSEABLE),
    ("Ranking (worst to best): A, B, D, C", OPTIONS, UNPARSEABLE),
]
OTHERS_WORDS = [
    ("Agent 1: Answer: A\nAgent 2: Answer: A\n\nAnswer: C", OPTIONS, "C"),
    ("> The answer is A.\n\nI disagree. C.", OPTIONS, "C"),
    ("> I think it is A.\nNo, it is C.", OPTIONS, "C"),
    ("Agent 1 (A), Agent 2 (B), me (C).", OPTIONS, "C"),
    ("Answer: C. (Peer 1: A. Peer 2: A.)", OPTIONS, "C"),
    ("Answer: C\nPeer answers: A, A, B", OPTIONS, "C"),
    ("Peer votes: A, A, B\nMy vote: C", OPTIONS, "C"),
    ("The previous answer was A. The correct answer is C.", OPTIONS, "C"),
    ("Your answer A is wrong; the answer is C.", OPTIONS, "C"),
    ("A student would answer A. I answer C.", OPTIONS, "C"),
    ("Some say A. I say C.", OPTIONS, "C"),
    ("Many clinicians would choose A. C is right here.", OPTIONS, "C"),
    ("It is commonly believed that the answer is A. It is C.", OPTIONS, "C"),
    ("The question writer wants A, but the truth is C.", OPTIONS, UNPARSEABLE),
    ("The answer key says A. I say C.", OPTIONS, "C"),
    ("According to guidelines, the answer is B.", OPTIONS, "B"),
]
AVOIDED = [
    ("I would avoid A.", OPTIONS, UNPARSEABLE),
    ("I reject B.", OPTIONS, UNPARSEABLE),
    ("I ruled out A and chose C.", OPTIONS, "C"),
    ("I would not pick A; I'd pick C.", OPTIONS, "C"),
    ("I hesitate between A and C, but choose C.", OPTIONS, "C"),
    ("I hesitate to choose A.", OPTIONS, UNPARSEABLE),
    ("I do not hesitate to choose A.", OPTIONS, "A"),
    ("I was tempted by A but chose C.", OPTIONS, "C"),
]
TREATMENTS = [
    ("Heparin is contraindicated. Give aspirin.", CLOT, "C"),
    ("Stop heparin and start warfarin.", CLOT, "B"),
    ("Heparin should be withheld; warfarin is best.", CLOT, "B"),
    ("The patient takes aspirin. Add clopidogrel.", CLOT, "D"),
    ("Switch from heparin to warfarin.", CLOT, "B"),
    ("Replace aspirin with clopidogrel.", CLOT, "D"),
    ("Heparin, not warfarin.", CLOT, "A"),
    ("Warfarin instead of heparin.", CLOT, "B"),
    ("Clopidogrel, because aspirin causes hives.", CLOT, "D"),
    ("He is allergic to aspirin.", CLOT, UNPARSEABLE),
    ("Continue aspirin.", CLOT, "C"),
    ("Discontinue aspirin.", CLOT, UNPARSEABLE),
    ("Aspirin and clopidogrel", CLOT, UNPARSEABLE),
    ("Both heparin and warfarin are needed.", CLOT, UNPARSEABLE),
    ("Aspirin was given yesterday and failed; use clopidogrel.", CLOT, "D"),
    ("Aspirin fails. Clopidogrel.", CLOT, "D"),
]
NUMBERS_AND_GROUPS = [
    ("4", POWERS, "B"),
    ("Answer: 16", POWERS, "D"),
    ("The answer is 8.", POWERS, "C"),
    ("B. 4", POWERS, "B"),
    ("2 + 2 = 4", POWERS, "B"),
    ("12", POWERS, UNPARSEABLE),
    ("There are 4 options.", POWERS, UNPARSEABLE),
    ("A", POWERS, "A"),
    ("AB", GROUPS, "C"),
    ("Answer: AB", GROUPS, "C"),
    ("O", GROUPS, "D"),
    ("C. AB", GROUPS, "C"),
]
YES_AND_NO = [
    ("No evidence of benefit.", YES_NO, UNPARSEABLE),
    ("No benefit was seen.", YES_NO, "B"),
    ("There is no doubt. Yes.", YES_NO, "A"),
    ("Without doubt, yes.", YES_NO, "A"),
    ("No comment, but yes.", YES_NO, "A"),
    ("I see no effusion.", YES_NO, "B"),
    ("Yes, no doubt.", YES_NO, "A"),
    ("No, I would say yes.", YES_NO, "A"),
    ("No matter what, yes.", YES_NO, "A"),
    ("No problem. Yes.", YES_NO, "A"),
    ("Of course, yes", YES_NO, "A"),
    ("Nope", YES_NO, UNPARSEABLE),
    ("Is there an effusion? No.", YES_NO, "B"),
    ("Is there no effusion? Yes.", YES_NO, "A"),
]
THOUGHTS = [
    ("<think>A or B... the answer is B", OPTIONS, TRUNCATED),
    ("<think>hm</think>", OPTIONS, UNPARSEABLE),
    ("<think>hm</think>\n\nC", OPTIONS, "C"),
    ("<think>Answer: B</think>\nThe patient is tired.", OPTIONS, UNPARSEABLE),
    ("Answer: C <think>or B?</think>", OPTIONS, "C"),
    ("<thinking>A</thinking><answer>B</answer>", OPTIONS, "B"),
]
QUESTIONS = [
    ("Which is right, A or B? I'd say B.", OPTIONS, "B"),
    ("So is it A? No, C.", OPTIONS, "C"),
    ("Why not A? Because the nodes are absent. C.", OPTIONS, "C"),
    ("Could the answer be D? Yes.", OPTIONS, "D"),
    ("Would A fit? No. Would C fit? Yes.", OPTIONS, "C"),
]
EXCEPTIONS = [
    ("The answer isn't A, B, or D.", OPTIONS, UNPARSEABLE),
    ("Anything but A.", OPTIONS, UNPARSEABLE),
    ("None but C fits.", OPTIONS, "C"),
    ("All but C are wrong.", OPTIONS, "C"),
    ("C alone fits.", OPTIONS, "C"),
    ("Only C fits.", OPTIONS, "C"),
    ("Only C explains the sodium.", OPTIONS, "C"),
    ("C and only C.", OPTIONS, "C"),
]
UNSUPPORTED = [
    ("Nothing supports B.", OPTIONS, UNPARSEABLE),
    ("No finding suggests B.", OPTIONS, UNPARSEABLE),
    ("The film does not support D. The labs favour C.", OPTIONS, "C"),
    ("Little supports A.", OPTIONS, UNPARSEABLE),
    ("None of the findings favour A.", OPTIONS, UNPARSEABLE),
]
TEXTS_WITHIN_TEXTS = [
    ("Serum cortisol", TESTS, "A"),
    ("Serum cortisol and ACTH", TESTS, "B"),
    ("Order serum cortisol and ACTH.", TESTS, "B"),
    ("ACTH stimulation test", TESTS, "C"),
    ("An ACTH stimulation test would be best, rather than a random glucose.", TESTS, "C"),
    ("The answer is serum cortisol and ACTH, not serum cortisol alone.", TESTS, "B"),
    ("I'd start with a serum cortisol.", TESTS, "A"),
    ("Answer: Serum cortisol (A)", TESTS, "A"),
    ("A cataract", EYES, "B"),
    ("An early cataract", EYES, "C"),
    ("cataract", EYES, "B"),
    ("Early cataract", EYES, "C"),
    ("Answer: the optic nerve", EYES, "A"),
    ("Optic nerve", EYES, "A"),
    ("A", EYES, "A"),
    ("It is a cataract.", EYES, "B"),
    ("A: The optic nerve", EYES, "A"),
    ("The optic nerve is spared; this is an early cataract.", EYES, "C"),
    ("Autosomal recessive", INHERITED, "B"),
    ("X linked recessive", INHERITED, "C"),
    ("X-linked", INHERITED, UNPARSEABLE),
    ("The inheritance is X-linked recessive (option C).", INHERITED, "C"),
    ("This is an autosomal dominant disorder.", INHERITED, "A"),
    ("recessive", INHERITED, UNPARSEABLE),
    ("mitochondrial inheritance", INHERITED, "E"),
]
LETTERS_WITHIN_TEXTS = [
    ("Vitamin C", VITAMINS, "C"),
    ("Answer: Vitamin A", VITAMINS, "A"),
    ("The answer is vitamin D.", VITAMINS, "D"),
    ("Vitamin B12 deficiency explains it.", VITAMINS, "B"),
    ("C. Vitamin C", VITAMINS, "C"),
    ("D. Vitamin D", VITAMINS, "D"),
    ("Answer: A (Vitamin A)", VITAMINS, "A"),
    ("Vitamin D, since vitamin C would give bleeding gums.", VITAMINS, "D"),
    ("Answer: C. Vitamin C. Vitamin A deficiency causes night blindness.", VITAMINS, "C"),
    ("A. Vitamin A deficiency does not cause this; the answer is C.", VITAMINS, "C"),
    ("Hepatitis B virus", VIRUSES, "B"),
    ("Answer: D. Influenza A virus", VIRUSES, "D"),
    ("The answer is Hepatitis C virus.", VIRUSES, "C"),
    ("C. Hepatitis C virus is not found in stool.", VIRUSES, "C"),
    ("Hepatitis", VIRUSES, UNPARSEABLE),
]
SIX_OPTIONS = [
    ("Rubella", RASHES, "C"),
    ("F", RASHES, "F"),
    ("Answer: E) Scarlet fever", RASHES, "E"),
    ("E. coli causes this.", RASHES, UNPARSEABLE),
    ("It is not measles, mumps or rubella. It is roseola.", RASHES, "F"),
    ("Measles, mumps and rubella are all excluded by vaccination; varicella it is.", RASHES, "D"),
]
NUMBERS = [
    ("2 days", DAYS, "B"),
    ("12 days", DAYS, "C"),
    ("Answer: 1 day", DAYS, "A"),
    ("The incubation is 21 days.", DAYS, "D"),
    ("about two weeks", DAYS, UNPARSEABLE),
]
OF_THE_ABOVE = [
    ("None of the above", ABOVE, "B"),
    ("Answer: All of the above", ABOVE, "A"),
    ("All of the above are right.", ABOVE, "A"),
    ("Fever and rash", ABOVE, UNPARSEABLE),
    ("none of the above.", ABOVE, "B"),
    ("It is none of the above.", ABOVE, "B"),
]
LONGER = [
    ("Okay, let's break down this case.\n\n**Key findings**\n* Fatigue\n* "
     "Hyperpigmentation\n\n**Analysis of options**\n\n* **A. Sarcoidosis:** Less likely, "
     "there are no nodes.\n* **B. Giant cell arteritis:** Very unlikely at 30.\n* **C. "
     "Addison disease:** This fits all findings.\n* **D. Pulmonary embolism:** Would be "
     "acute.\n\n**Conclusion**\n\nThe most likely diagnosis is **C. Addison "
     "disease**.\n\n**Disclaimer:** I am an AI and cannot provide medical advice. Consult a "
     "qualified professional.", OPTIONS, "C"),
    ("Here's a breakdown:\n\n*   **A:** Sarcoidosis may present this way.\n*   **B:** Not "
     "at this age.\n*   **C:** Possible.\n*   **D:** No.\n\nThe final answer is $\\boxed{A}$", OPTIONS, "A"),
    ("The final answer is $\\boxed{\\text{C. Addison disease}}$.\n\nNote that if the "
     "cortisol were normal, the answer would be A.", OPTIONS, "C"),
    ("**Answer: B**\n\n**Rationale:** Jaw claudication. Consider A if hilar nodes appear; "
     "consider D if dyspnoea appears.", OPTIONS, "B"),
    ("**Answer: B**\n\nConsider A if hilar nodes appear. Choose D if dyspnoea appears.", OPTIONS, "B"),
    ("C.\n\nA: Granulomas raise calcium, and this patient has low calcium.\nB: The answer "
     "would be B in an old woman with headache.\nD: Select this if the calf is swollen.", OPTIONS, "C"),
    ("Thinking through: A? nodes absent. B? young. D? no dyspnoea. So C.", OPTIONS, "C"),
    ("A? B? C? D?", OPTIONS, UNPARSEABLE),
    ("Hmm... C?... yes, C.", OPTIONS, "C"),
    ("Option A: 2/10\nOption B: 1/10\nOption C: 9/10\nOption D: 3/10", OPTIONS, "C"),
    ("The probability of A is 0.1, of B 0.2, of C 0.6 and of D 0.1.", OPTIONS, UNPARSEABLE),
]
COMMITTEES = [
    ("Vote tally: A 1, B 3, C 0. I go along with the majority: B.", OPTIONS, "B"),
    ("Vote tally: A 1, B 3, C 0.", OPTIONS, UNPARSEABLE),
    ("I agree with Agent 1 (A).", OPTIONS, "A"),
    ("I agree with Agent 2's answer, B, because of the jaw pain.", OPTIONS, "B"),
    ("I don't agree with Agent 2's answer, B.", OPTIONS, UNPARSEABLE),
    ("Agents 1 and 2 chose B. I concur with them.", OPTIONS, "B"),
    ("Like my colleagues, I choose B.", OPTIONS, "B"),
    ("Unlike my colleagues, who chose A, I choose B.", OPTIONS, "B"),
    ("My colleagues' case for A is strong. I am persuaded: A.", OPTIONS, "A"),
    ("Dr. Lee persuaded me that it is A.", OPTIONS, "A"),
    ("As the dissenting voice, I choose D.", OPTIONS, "D"),
    ("I must side with the minority: C.", OPTIONS, "C"),
    ("In dissent: C", OPTIONS, "C"),
    ("Peer answers suggest A; my independent assessment: D.", OPTIONS, "D"),
    ("My independent answer was A. Having seen the peers I move to B.", OPTIONS, "B"),
    ("Independent answer: A\nRevised answer after discussion: B", OPTIONS, "B"),
    ("Before discussion: A\nAfter discussion: C", OPTIONS, "C"),
    ("Before: A. Now: C.", OPTIONS, "C"),
]
TURNS = [
    ("The answer was A, and remains A.", OPTIONS, "A"),
    ("I once thought A. I think B.", OPTIONS, "B"),
    ("I used to think A. Now B.", OPTIONS, "B"),
    ("It's C, not B.", OPTIONS, "C"),
    ("C (not B)", OPTIONS, "C"),
    ("C, definitely not B.", OPTIONS, "C"),
    ("Definitely not B. C.", OPTIONS, "C"),
    ("If not C, then B. I say C.", OPTIONS, "C"),
]
CONDITIONS = [
    ("I would choose C unless the cortisol is normal.", OPTIONS, UNPARSEABLE),
    ("C, unless the cortisol is normal.", OPTIONS, UNPARSEABLE),
    ("C if the cortisol is low, else A.", OPTIONS, UNPARSEABLE),
    ("Since the cortisol is low, C.", OPTIONS, "C"),
    ("As the cortisol is low: C", OPTIONS, "C"),
    ("When in doubt, C.", OPTIONS, "C"),
    ("Should I be forced to choose, I would choose C.", OPTIONS, "C"),
    ("If you need a single letter: C", OPTIONS, "C"),
    ("If I may, C.", OPTIONS, "C"),
    ("If asked, I would say C.", OPTIONS, "C"),
]
FINDINGS = [
    ("The diagnosis can only be Addison disease.", OPTIONS, "C"),
    ("This must be Addison disease.", OPTIONS, "C"),
    ("Everything points towards Addison disease.", OPTIONS, "C"),
    ("This excludes Addison disease.", OPTIONS, UNPARSEABLE),
    ("Addison disease has been ruled out, which leaves sarcoidosis.", OPTIONS, "A"),
    ("Addison disease would not cause this.", OPTIONS, UNPARSEABLE),
    ("Addison disease cannot explain the calf; pulmonary embolism can.", OPTIONS, "D"),
    ("Could this be Addison disease?", OPTIONS, UNPARSEABLE),
    ("I suspect Addison disease.", OPTIONS, "C"),
    ("I worry about pulmonary embolism.", OPTIONS, "D"),
    ("Rule out pulmonary embolism first.", OPTIONS, UNPARSEABLE),
]
REFUSED_OR_NOT = [
    ("I'm sorry, I can't choose: A and B fit equally.", OPTIONS, REFUSED),
    ("I cannot answer. (The options are A, B, C and D.)", OPTIONS, REFUSED),
    ("I can't answer that. C.", OPTIONS, "C"),
    ("I'm not a doctor.", OPTIONS, UNPARSEABLE),
    ("As a language model I have no opinion.", OPTIONS, REFUSED),
    ("No.", OPTIONS, UNPARSEABLE),
    ("I can't.", OPTIONS, UNPARSEABLE),
    ("I'm unable to view images, but based on the text: D", OPTIONS, "D"),
]
SCRAPS = [
    ("Error: rate limit", OPTIONS, UNPARSEABLE),
    ("{}", OPTIONS, UNPARSEABLE),
    ("[]", OPTIONS, UNPARSEABLE),
    ("[\"C\"]", OPTIONS, "C"),
    ("C|D", OPTIONS, UNPARSEABLE),
    ("A-C", OPTIONS, UNPARSEABLE),
    ("A to C", OPTIONS, UNPARSEABLE),
    ("Answer: A–D", OPTIONS, UNPARSEABLE),
    ("Answer: C D", OPTIONS, UNPARSEABLE),
    ("CC", OPTIONS, UNPARSEABLE),
    ("C C C", OPTIONS, "C"),
    ("C, C, C", OPTIONS, "C"),
]
MORE_YES_AND_NO = [
    ("Aye", YES_NO, UNPARSEABLE),
    ("Y", YES_NO, UNPARSEABLE),
    ("Yes!", YES_NO, "A"),
    ("**No**, there is none.", YES_NO, "B"),
    ("yes (confidence 0.7)", YES_NO, "A"),
    ("Answer: yes. There is no mass.", YES_NO, "A"),
    ("No mass is seen, therefore the answer is no.", YES_NO, "B"),
    ("Is it malignant? I think no.", YES_NO, "B"),
    ("I think yes.", YES_NO, "A"),
    ("Yes, I cannot exclude it.", YES_NO, "A"),
    ("I cannot say yes or no.", YES_NO, REFUSED),
    ("The film shows yes-instance opacities", YES_NO, UNPARSEABLE),
]
TREATMENTS_WITHIN_TREATMENTS = [
    ("Surgery with radiotherapy", CARE, "C"),
    ("Surgery", CARE, "B"),
    ("Radiotherapy alone", CARE, "D"),
    ("Answer: surgery with radiotherapy.", CARE, "C"),
    ("A course of steroids", CARE, "E"),
    ("A course of steroids is best.", CARE, "E"),
    ("course of steroids", CARE, "E"),
    ("Surgery, with radiotherapy", CARE, "C"),
    ("Surgery and radiotherapy", CARE, UNPARSEABLE),
    ("Observation is reasonable, but surgery is best.", CARE, "B"),
    ("I recommend surgery.", CARE, "B"),
    ("I recommend surgery with radiotherapy over surgery alone.", CARE, "C"),
    ("Not surgery alone; surgery with radiotherapy.", CARE, "C"),
    ("The answer is E: a course of steroids.", CARE, "E"),
    ("A. Observation", CARE, "A"),
    ("A\n\nObservation suffices.", CARE, "A"),
    ("Steroids", CARE, UNPARSEABLE),
    ("observation (A)", CARE, "A"),
    ("Observation?", CARE, UNPARSEABLE),
    ("Radiotherapy (D), not surgery (B)", CARE, "D"),
]
RHYTHMS = [
    ("Atrial fib", RHYTHM, UNPARSEABLE),
    ("atrial fibrillation", RHYTHM, "A"),
    ("The rhythm is atrial flutter.", RHYTHM, "B"),
    ("Ventricular fibrillation is excluded by the pulse. Atrial fibrillation.", RHYTHM, "A"),
    ("There is no abnormality.", RHYTHM, "E"),
    ("No abnormality", RHYTHM, "E"),
    ("The ECG shows sinus rhythm.", RHYTHM, "D"),
    ("Atrial fibrilation", RHYTHM, "A"),
    ("This is not sinus rhythm; it is atrial flutter with 2:1 block.", RHYTHM, "B"),
    ("Irregularly irregular: atrial fibrillation", RHYTHM, "A"),
]
BOARDS = [
    ("Dr. Patel (cardiology): I choose B.\nDr. Wong (surgery): I choose B.\n\nMy decision: "
     "A.", OPTIONS, "A"),
    ("[Agent 1]: B\n[Agent 2]: B\n[Me]: C", OPTIONS, "C"),
    ("**Agent 1:** The answer is B.\n**Agent 2:** The answer is D.\n\nHaving weighed both, "
     "I conclude that the answer is D.", OPTIONS, "D"),
    ("Colleague 1 says \"Answer: B\". Colleague 2 says \"Answer: B\". Neither accounts for "
     "the sodium. Answer: C", OPTIONS, "C"),
    ("My colleagues' answers were B, B and D. My own is C.", OPTIONS, "C"),
    ("The board shows: A, A, A. I am not swayed. D.", OPTIONS, "D"),
    ("The board shows: A, A, A.", OPTIONS, UNPARSEABLE),
    ("Peers said A with 90% confidence. I say C with 60% confidence.", OPTIONS, "C"),
    ("An expert panel recommends A; I concur.", OPTIONS, "A"),
    ("An expert panel recommends A; I do not concur.", OPTIONS, UNPARSEABLE),
    ("I was told that the answer is B. I do not believe it: the answer is C.", OPTIONS, "C"),
    ("She answered B; I answer C.", OPTIONS, "C"),
    ("He thinks A, she thinks B, I think D.", OPTIONS, "D"),
    ("Peer: Answer B.\nSelf: Answer C.", OPTIONS, "C"),
    ("Doctor A chose B. Doctor B chose C. I choose D.", OPTIONS, "D"),
    ("Agent A: C. Agent B: C. Final answer: D", OPTIONS, "D"),
    ("Agent B is wrong. The answer is D.", OPTIONS, "D"),
    ("I agree with Doctor B. The answer is C.", OPTIONS, "C"),
    ("I agree with Agent A that the answer is C.", OPTIONS, "C"),
    ("Dr. B says C. I say D.", OPTIONS, "D"),
]
ANSWERED_AFTER_ALL = [
    ("I can't answer this as I'm an AI. But if you insist, C.", OPTIONS, "C"),
    ("I am sorry, but I am not able to answer medical questions.", OPTIONS, REFUSED),
    ("Unfortunately I cannot determine the answer from the information provided. Additional "
     "tests are needed.", OPTIONS, REFUSED),
    ("I'm not able to provide a specific answer. The options include sarcoidosis and "
     "Addison disease.", OPTIONS, REFUSED),
    ("I apologize, but I cannot select an option because the vignette is incomplete.", OPTIONS, REFUSED),
    ("It would be irresponsible to choose. However, B.", OPTIONS, "B"),
    ("I can't give medical advice, but for exam purposes the answer is D.", OPTIONS, "D"),
    ("I cannot provide medical advice.\n\n**Answer: A**", OPTIONS, "A"),
    ("This question cannot be answered without imaging, so I won't choose.", OPTIONS, REFUSED),
    ("I don't know, B?", OPTIONS, REFUSED),
]
UNSURE = [
    ("I'm not sure. Probably B.", OPTIONS, "B"),
    ("I'm unsure, but B seems most likely.", OPTIONS, "B"),
    ("Not sure", OPTIONS, UNPARSEABLE),
    ("Hard to tell.", OPTIONS, UNPARSEABLE),
    ("It's possible that it's A, but I'd go with B.", OPTIONS, "B"),
    ("I could be wrong, but I think D.", OPTIONS, "D"),
    ("I may be mistaken; the answer is D.", OPTIONS, "D"),
    ("With low confidence: C", OPTIONS, "C"),
    ("Leaning A.", OPTIONS, "A"),
    ("B, though I am not certain.", OPTIONS, "B"),
    ("B (low confidence)", OPTIONS, "B"),
    ("B I guess", OPTIONS, "B"),
    ("I suppose B.", OPTIONS, "B"),
    ("Could be B.", OPTIONS, "B"),
    ("B?", OPTIONS, UNPARSEABLE),
]
RUNAWAYS = [
    ("The patient, a thirty-year-old woman with fatigue, has dark creases in her palms and "
     "on the gums, and her blood pressure falls when she stands. Her sodium is 128 and her "
     "potassium 6.0, which together would suggest a failure of the adrenal gland, so that "
     "one is led to think of", OPTIONS, TRUNCATED),
    ("Answer: C\n\nThe sodium is low, the potassium is high, and the skin is dark. "
     "Sarcoidosis would be seen on the film, giant cell arteritis would not be seen in the "
     "young and pulmonary embolism would be of sudden", OPTIONS, "C"),
    ("Let's think. A: possible, but there are no nodes. B: no. C: possible, since the "
     "sodium is low and the skin is dark, and so is the fact that the patient has lost "
     "weight over the past months, which may also be due to", OPTIONS, TRUNCATED),
    ("<think>\nThe patient has dark skin. So the answer may be C. Let me check the others. "
     "A is", OPTIONS, TRUNCATED),
    ("The answer is", OPTIONS, TRUNCATED),
    ("Final answer:", OPTIONS, UNPARSEABLE),
    ("**Answer:**", OPTIONS, UNPARSEABLE),
    ("I choose", OPTIONS, UNPARSEABLE),
    ("Option", OPTIONS, UNPARSEABLE),
    ("The answer is C\nThe answer is C\nThe answer is C\nThe answer is", OPTIONS, "C"),
    ("C\nC\nC\nC", OPTIONS, "C"),
    ("A\nB\nC\nD", OPTIONS, UNPARSEABLE),
    ("A B C D", OPTIONS, UNPARSEABLE),
    ("ABCD", OPTIONS, UNPARSEABLE),
    ("Answer: C\n\nQuestion: What next?\nOptions:\nA. Wait\nB. Treat\nAnswer: A", OPTIONS, "C"),
    ("C.\nHuman: thanks\nAssistant: D", OPTIONS, "C"),
]
OPTIONS_COMPARED = [
    ("Here are the options:\nA. Sarcoidosis\nB. Giant cell arteritis\nC. Addison "
     "disease\nD. Pulmonary embolism\nI pick the third.", OPTIONS, UNPARSEABLE),
    ("Sarcoidosis (A) and giant cell arteritis (B) are wrong; Addison disease (C) is right.", OPTIONS, "C"),
    ("The diagnosis is C, as A and B are excluded.", OPTIONS, "C"),
    ("C, as D is excluded.", OPTIONS, "C"),
    ("C over D.", OPTIONS, "C"),
    ("C rather than D", OPTIONS, "C"),
    ("C and not D", OPTIONS, "C"),
    ("C instead of D", OPTIONS, "C"),
    ("Between C and D: C", OPTIONS, "C"),
    ("Either C or D, probably C.", OPTIONS, "C"),
    ("C or D, most likely C", OPTIONS, "C"),
]
VOTES = [
    ("I vote A.", OPTIONS, "A"),
    ("Vote = C", OPTIONS, "C"),
    ("My ballot: D", OPTIONS, "D"),
    ("Casting my vote for D.", OPTIONS, "D"),
    ("I cast my vote for B.", OPTIONS, "B"),
    ("Count my vote as C.", OPTIONS, "C"),
    ("Put me down for D.", OPTIONS, "D"),
    ("D gets my vote.", OPTIONS, "D"),
    ("I'm going for D.", OPTIONS, "D"),
    ("Final: (A) Sarcoidosis", OPTIONS, "A"),
]
LATEX = [
    ("$\\text{Answer: } \\boxed{\\text{D}}$", OPTIONS, "D"),
    ("\\boxed{A}\n\\boxed{C}", OPTIONS, "C"),
    ("The answer is \\(\\boxed{D}\\).", OPTIONS, "D"),
    ("\\boxed{ B }", OPTIONS, "B"),
    ("\\boxed{\\text{(B) Giant cell arteritis}}", OPTIONS, "B"),
    ("**\\boxed{C}**", OPTIONS, "C"),
    ("Answer: **\\(C\\)**", OPTIONS, "C"),
    ("\\fbox{C}", OPTIONS, "C"),
    ("**Final Answer**: The correct option is **(B)**.", OPTIONS, "B"),
    ("The answer is: C).", OPTIONS, "C"),
    ("ans - c", OPTIONS, "C"),
    ("a.", OPTIONS, "A"),
    ("(d)", OPTIONS, "D"),
]
INTERJECTIONS = [
    ("yes", BARE, UNPARSEABLE),
    ("Yes, C.", OPTIONS, "C"),
    ("No, D.", OPTIONS, "D"),
    ("No. The answer is D.", OPTIONS, "D"),
    ("Yes: there's a fracture.", YES_NO, "A"),
    ("Yes and here is why: no other finding fits.", YES_NO, "A"),
    ("no no no", YES_NO, "B"),
    ("The answer is definitely yes.", YES_NO, "A"),
    ("Correct.", YES_NO, UNPARSEABLE),
    ("True", YES_NO, UNPARSEABLE),
    ("It is not present, so the answer is no.", YES_NO, "B"),
    ("No abnormality is seen. Answer: no", YES_NO, "B"),
    ("Answer: no, not yes", YES_NO, "B"),
    ("Yes; not no.", YES_NO, "A"),
    ("Absolutely not.", YES_NO, UNPARSEABLE),
    ("I would answer in the negative: no.", YES_NO, "B"),
    ("Is there cardiomegaly? Yes. Is there effusion? No.", YES_NO, UNPARSEABLE),
    ("Final answer: Yes.\n\nThere is no effusion.", YES_NO, "A"),
]
DRUGS = [
    ("Do not give aspirin. Clopidogrel is the drug of choice.", CLOT, "D"),
    ("Never give warfarin in pregnancy. Heparin.", CLOT, "A"),
    ("Give aspirin only if heparin fails. Heparin is first line.", CLOT, "A"),
    ("Use heparin before warfarin.", CLOT, "A"),
    ("Aspirin would be used in a man; give heparin here.", CLOT, "A"),
    ("Giving warfarin alone risks necrosis, so heparin.", CLOT, "A"),
    ("Aspirin was started yesterday. What she needs now is heparin.", CLOT, "A"),
    ("Why not aspirin? She is allergic. Clopidogrel.", CLOT, "D"),
    ("Once aspirin has failed, clopidogrel.", CLOT, "D"),
    ("She cannot take aspirin; clopidogrel is the alternative.", CLOT, "D"),
    ("Neither heparin nor warfarin.", CLOT, UNPARSEABLE),
    ("Heparin bridges to warfarin; the answer is B.", CLOT, "B"),
]
SECOND_VERBS = [
    ("We took a history and examined her; the answer is D.", OPTIONS, "D"),
    ("I looked at Dr. Lee's notes and Dr. Lee favours A. I favour B.", OPTIONS, "B"),
    ("I hear you and prefer C.", OPTIONS, "C"),
    ("I know the peers said A but pick C.", OPTIONS, "C"),
    ("No nodes, no headache, so C.", OPTIONS, "C"),
    ("No nodes. No headache. C.", OPTIONS, "C"),
    ("Well, C.", OPTIONS, "C"),
    ("Hmm, not B.", OPTIONS, UNPARSEABLE),
    ("OK: D", OPTIONS, "D"),
    ("Right: D", OPTIONS, "D"),
    ("Right, so A is out. B is out too. D.", OPTIONS, "D"),
]
LIKELY_OR_NOT = [
    ("Most likely not A.", OPTIONS, UNPARSEABLE),
    ("A is most likely not the answer. B is.", OPTIONS, UNPARSEABLE),
    ("A is most unlikely. The answer is B.", OPTIONS, "B"),
    ("Most probably sarcoidosis.", OPTIONS, "A"),
    ("Most likely benign.", OPTIONS, UNPARSEABLE),
    ("Sarcoidosis most likely explains the nodes. It does not explain the clot, which "
     "pulmonary embolism does. Answer: D", OPTIONS, "D"),
    ("Addison disease was my first thought, but the answer is D.", OPTIONS, "D"),
    ("My first thought was C. It was wrong. D.", OPTIONS, "D"),
    ("First, C is excluded. Second, A is excluded. Third, B is excluded. Therefore D.", OPTIONS, "D"),
]
LETTERS_OF_NAMES = [
    ("A patient with B symptoms should have a CT; C is unlikely. D.", OPTIONS, "D"),
    ("Vitamin D is low. Answer: C", OPTIONS, "C"),
    ("Hepatitis B was excluded. The answer is A.", OPTIONS, "A"),
    ("Stage C disease. Answer B.", OPTIONS, "B"),
    ("Type A dissection is unlikely, so D.", OPTIONS, "D"),
    ("Group B strep is not seen. C.", OPTIONS, "C"),
    ("Plan B would be a biopsy. The answer is A.", OPTIONS, "A"),
    ("Grade A evidence supports D.", OPTIONS, "D"),
    ("Class C drugs are avoided.", OPTIONS, UNPARSEABLE),
    ("Blood group A.", OPTIONS, UNPARSEABLE),
    ("Protein C deficiency", OPTIONS, UNPARSEABLE),
    ("The answer is protein C deficiency.", BARE, UNPARSEABLE),
    ("Factor D", BARE, UNPARSEABLE),
    ("Point A on the graph is best.", BARE, UNPARSEABLE),
    ("Lead D of the ECG", BARE, UNPARSEABLE),
]
LEFT_OVER = [
    ("Both B and C are traps. D.", OPTIONS, "D"),
    ("B and C are traps, leaving A and D; A is too slow, so D.", OPTIONS, "D"),
    ("I eliminated B, C and D.", OPTIONS, UNPARSEABLE),
    ("Having eliminated B, C and D, I am left with A.", OPTIONS, "A"),
    ("Only A remains.", OPTIONS, "A"),
    ("A is left.", OPTIONS, UNPARSEABLE),
    ("By exclusion: A.", OPTIONS, "A"),
]
ANSWER_THEN_ANOTHER = [
    ("Answer: C\nReasoning: D was considered, and the answer would be D if the calf were "
     "swollen.", OPTIONS, "C"),
    ("Answer: C. D would have been my answer had the calf been swollen.", OPTIONS, "C"),
    ("Answer: C. Change to D if the calf swells.", OPTIONS, "C"),
    ("Answer: C. Had I more data I might choose D.", OPTIONS, "C"),
    ("Answer: C. I might have said D.", OPTIONS, "C"),
    ("Answer: C. Some might choose D.", OPTIONS, "C"),
    ("Answer: C. Others have chosen D.", OPTIONS, "C"),
    ("Answer: C. A common error is to choose D.", OPTIONS, "C"),
    ("Answer: C. Do not choose D.", OPTIONS, "C"),
    ("Answer: C. Students often choose D.", OPTIONS, "C"),
    ("Answer: C. The distractor is D.", OPTIONS, "C"),
    ("Answer: C. D is a close second.", OPTIONS, "C"),
    ("Answer: C. Next: D.", OPTIONS, "C"),
    ("Answer: C. Not D: no dyspnoea.", OPTIONS, "C"),
    ("Answer: C\nSecond opinion: D", OPTIONS, "C"),
    ("Answer: C\nAlternative: D", OPTIONS, "C"),
    ("Answer: C\nAgainst: D", OPTIONS, "C"),
    ("Answer: C\nCompared with: D", OPTIONS, "C"),
    ("Answer: C\nRejected: A, B, D", OPTIONS, "C"),
    ("Answer: C\nWhy not D: no dyspnoea", OPTIONS, "C"),
    ("Answer: C\n\nD: if dyspnoea", OPTIONS, "C"),
    ("Answer: C\n\nPeers: D", OPTIONS, "C"),
    ("Answer: C\n\nConfidence\nA: 5%\nB: 5%\nC: 80%\nD: 10%", OPTIONS, "C"),
    ("Answer: C\n\nA. Sarcoidosis\nB. Giant cell arteritis\nC. Addison disease\nD. "
     "Pulmonary embolism", OPTIONS, "C"),
]
KEYS = [
    ("Answer: C\n\nKey: A = Sarcoidosis, B = Giant cell arteritis, C = Addison disease, D = "
     "Pulmonary embolism", OPTIONS, "C"),
    ("Options considered: A, B, C, D\nAnswer: B", OPTIONS, "B"),
    ("Answer options: A, B, C, D.", OPTIONS, UNPARSEABLE),
    ("Answer choices: A) Sarcoidosis B) Giant cell arteritis C) Addison disease D) "
     "Pulmonary embolism", OPTIONS, UNPARSEABLE),
    ("The answer choices are A, B, C and D. I choose B.", OPTIONS, "B"),
]
LABELS = [
    ("Please answer A, B, C or D.", OPTIONS, UNPARSEABLE),
    ("You should reply with A, B, C or D. D.", OPTIONS, "D"),
    ("Reply: D", OPTIONS, "D"),
    ("My reply is D.", OPTIONS, "D"),
    ("Result: D", OPTIONS, "D"),
    ("Conclusion: D", OPTIONS, "D"),
    ("Impression: pulmonary embolism", OPTIONS, "D"),
    ("Dx: PE", OPTIONS, UNPARSEABLE),
    ("Dx: pulmonary embolism", OPTIONS, "D"),
    ("Assessment: Addison disease. Plan: hydrocortisone.", OPTIONS, "C"),
    ("Differential: sarcoidosis, Addison disease. Final: Addison disease.", OPTIONS, "C"),
    ("Differential diagnosis: A, C. Final diagnosis: C.", OPTIONS, "C"),
    ("Working diagnosis: D", OPTIONS, "D"),
]
COMPARED = [
    ("It is B or C; B has the edge.", OPTIONS, "B"),
    ("B has the edge over C.", OPTIONS, "B"),
    ("B beats C.", OPTIONS, "B"),
    ("B trumps all.", OPTIONS, "B"),
    ("B first, C second.", OPTIONS, "B"),
    ("1) B 2) C", OPTIONS, UNPARSEABLE),
    ("B; C", OPTIONS, UNPARSEABLE),
    ("B\nor\nC", OPTIONS, UNPARSEABLE),
    ("B / C", OPTIONS, UNPARSEABLE),
    ("B? or C?", OPTIONS, UNPARSEABLE),
]
YES_NO_AND_MORE = [
    ("Yes.\n\nNo other finding.", YES_NO, "A"),
    ("Yes, although no fracture is seen.", YES_NO, "A"),
    ("No, although the heart is large.", YES_NO, "B"),
    ("I'd say yes but cannot be sure.", YES_NO, "A"),
    ("The answer is not no.", YES_NO, UNPARSEABLE),
    ("The answer is not yes but no.", YES_NO, "B"),
    ("Both yes and no.", YES_NO, UNPARSEABLE),
    ("Yes (no fracture).", YES_NO, "A"),
    ("No (yes would need a fracture).", YES_NO, "B"),
    ("Agent 1: yes. Agent 2: yes. Me: no.", YES_NO, "B"),
    ("Peers say yes. I say no.", YES_NO, "B"),
    ("Peers say no.", YES_NO, UNPARSEABLE),
    ("My colleagues said yes, and I agree.", YES_NO, "A"),
    ("{\"answer\": \"No\"}", YES_NO, "B"),
    ("Decision: yes", YES_NO, "A"),
    ("A", YES_NO, "A"),
    ("Answer: B (no)", YES_NO, "B"),
    ("B. No evidence of pneumonia", YES_NO, "B"),
]
# fmt: on

KINDS = {
    "last_wins": LAST_WINS,
    "answer_first": ANSWER_FIRST,
    "forms": FORMS,
    "option_texts": OPTION_TEXTS,
    "peers": PEERS,
    "refusals": REFUSALS,
    "hedges": HEDGES,
    "cut": CUT,
    "nothing": NOTHING,
    "plain_yes_and_no": PLAIN_YES_AND_NO,
    "two_to_ten": TWO_TO_TEN,
    "bounds": BOUNDS,
    "other_cases": OTHER_CASES,
    "choices_in_order": CHOICES_IN_ORDER,
    "eliminated": ELIMINATED,
    "judged_one_by_one": JUDGED_ONE_BY_ONE,
    "shares": SHARES,
    "ticked": TICKED,
    "ranked": RANKED,
    "others_words": OTHERS_WORDS,
    "avoided": AVOIDED,
    "treatments": TREATMENTS,
    "numbers_and_groups": NUMBERS_AND_GROUPS,
    "yes_and_no": YES_AND_NO,
    "thoughts": THOUGHTS,
    "questions": QUESTIONS,
    "exceptions": EXCEPTIONS,
    "unsupported": UNSUPPORTED,
    "texts_within_texts": TEXTS_WITHIN_TEXTS,
    "letters_within_texts": LETTERS_WITHIN_TEXTS,
    "six_options": SIX_OPTIONS,
    "numbers": NUMBERS,
    "of_the_above": OF_THE_ABOVE,
    "longer": LONGER,
    "committees": COMMITTEES,
    "turns": TURNS,
    "conditions": CONDITIONS,
    "findings": FINDINGS,
    "refused_or_not": REFUSED_OR_NOT,
    "scraps": SCRAPS,
    "more_yes_and_no": MORE_YES_AND_NO,
    "treatments_within_treatments": TREATMENTS_WITHIN_TREATMENTS,
    "rhythms": RHYTHMS,
    "boards": BOARDS,
    "answered_after_all": ANSWERED_AFTER_ALL,
    "unsure": UNSURE,
    "runaways": RUNAWAYS,
    "options_compared": OPTIONS_COMPARED,
    "votes": VOTES,
    "latex": LATEX,
    "interjections": INTERJECTIONS,
    "drugs": DRUGS,
    "second_verbs": SECOND_VERBS,
    "likely_or_not": LIKELY_OR_NOT,
    "letters_of_names": LETTERS_OF_NAMES,
    "left_over": LEFT_OVER,
    "answer_then_another": ANSWER_THEN_ANOTHER,
    "keys": KEYS,
    "labels": LABELS,
    "compared": COMPARED,
    "yes_no_and_more": YES_NO_AND_MORE,
}


@pytest.mark.parametrize(
    ("reply", "options", "expected"),
    [
        pytest.param(*case, id=f"{kind}-{number}")
        for kind, cases in KINDS.items()
        for number, case in enumerate(cases, 1)
    ],
)
def test_replies_of_a_kind(reply, options, expected):
    answer = extract(reply, options)
    letters = labelled(options)[0]
    assert (answer.status.value if answer.option is None else letters[answer.option]) == expected
