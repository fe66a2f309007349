"""Own sentences for sexism: generalisations and rules about a sex, and sentences about the same things that are fair."""

WHO = ["women", "girls", "females", "wives", "ladies", "female drivers", "women in tech", "mothers", "young women", "blondes", "housewives", "feminists"]
ONE = ["woman", "girl", "female", "wife", "lady", "mother", "blonde", "female engineer", "female boss"]
MEN = ["men", "guys", "boys", "husbands", "fathers", "males", "male nurses"]
JOBS = ["lead a team", "drive a truck", "do maths", "write software", "run a company", "be president", "understand football", "handle pressure", "fix a car", "be an engineer", "park a car", "fly a plane", "serve in the army", "make hard decisions", "negotiate", "do science"]
HOME = ["stay at home", "stay in the kitchen", "raise the children", "obey their husbands", "cook and clean", "look pretty and be quiet", "know their place", "smile more", "do the dishes", "serve their men", "keep their legs closed", "make me a sandwich"]
BAD = ["too emotional", "too weak", "too hysterical", "too hormonal", "not smart enough", "not logical enough", "too sensitive", "not built", "not rational enough", "too bossy", "too moody", "naturally unfit"]
TRAITS = ["gold diggers", "only after money", "drama queens", "manipulative", "liars", "bad drivers", "irrational", "all the same", "crazy", "inferior to men", "property", "objects", "only good for one thing", "attention seekers", "hysterical", "weak"]
ROLE = ["doctor", "engineer", "pilot", "manager", "lawyer", "teacher", "nurse", "scientist", "programmer", "president", "judge", "professor", "chef", "footballer"]

SEXIST = [
    "{WHO} are {BAD} to {JOBS}.", "{WHO} can't {JOBS}.", "{WHO} should {HOME}.", "A {ONE} should {HOME}.", "{WHO} belong in the kitchen.", "{WHO} are {TRAITS}.", "All {WHO} are {TRAITS}.", "{WHO} are {BAD}.",
    "No {ONE} can {JOBS}.", "A {ONE} has no business trying to {JOBS}.", "Never let a {ONE} {JOBS}.", "Men are better than {WHO} because they can {JOBS}.", "{WHO} only get hired because of their looks.", "She only got promoted because she slept with the boss.",
    "She is pretty smart for a {ONE}.", "You throw like a girl.", "You {JOBS} well for a {ONE}.", "Don't be such a girl, man up.", "Go back to the kitchen.", "Shouldn't you {HOME}, woman?", "A {ONE}'s place is at home.", "{WHO} who wear short skirts are asking for it.",
    "If a {ONE} dresses like that, she deserves it.", "Real men don't cry and real women {HOME}.", "{WHO} should not be allowed to {JOBS}.", "{WHO} should not vote.", "I would never hire a {ONE}, she will just get pregnant.", "We should not hire {WHO}, they get pregnant and leave.",
    "It must be that time of the month, {WHO} are always {TRAITS}.", "{WHO} ask for equality but are {TRAITS}.", "Feminism is a disease and {WHO} are {TRAITS}.", "Let the men {JOBS}, sweetheart.", "This is a man's job, {WHO} are {BAD}.", "Why would a {ONE} want to {JOBS}? She should {HOME}.",
    "A wife must obey her husband.", "{WHO} exist to please men.", "{WHO} can't be trusted to {JOBS}.", "Men are naturally superior to {WHO}.", "A {ONE} without children is worthless.", "Once {WHO} pass thirty they have no value.", "Nobody respects a {ONE} who sleeps around.", "Typical {ONE}, she is {BAD} to {JOBS}.",
    "{MEN} are all pigs.", "{MEN} are trash.", "{MEN} can't raise children, only women can.", "{MEN} who cry are weak.", "A man who stays at home is not a real man.", "{MEN} are too stupid to take care of a baby.", "Nursing is no job for a man.",
    "She's a {ONE}, what did you expect?", "That {ONE} just needs a good man.", "Calm down, dear, leave it to the men.", "{WHO} driving, no survivors.", "dumb {ONE}s should {HOME}", "stupid bitches should {HOME}", "these {WHO} are {TRAITS} lol", "Any {ONE} would {HOME} if she knew what is good for her.",
]
FAIR = [
    "{WHO} can {JOBS}.", "{WHO} and {MEN} can {JOBS}.", "A {ONE} can {JOBS} as well as anyone.", "She is a great {ROLE}.", "He is a great {ROLE}.", "My wife is a {ROLE}.", "The {ROLE} said she would call back.", "Many {WHO} {JOBS}.", "It is wrong to say that {WHO} are {BAD}.",
    "The idea that {WHO} should {HOME} is outdated.", "Nobody should tell {WHO} to {HOME}.", "\"{WHO} should {HOME}\" is a sexist remark.", "Saying that {WHO} are {TRAITS} is sexist.", "Studies show no difference in how well women and men {JOBS}.", "She was the first woman to become {ROLE}.",
    "Women were not allowed to vote until 1920.", "The law gave women the right to own property.", "My mother likes to cook, my father likes to clean.", "He stays at home with the children while she works as a {ROLE}.", "The women's team won the cup.", "The girls played football all afternoon.", "Girls who code meets on Fridays.",
    "Women who are pregnant should ask their doctor first.", "The dress is for women, size M.", "Is there a women's toilet on this floor?", "Men and women were asked the same questions.", "Women earn less than men on average, the report says.", "Everyone on the team did good work.", "He and she lead the team together.",
    "My sister wants to {JOBS}.", "Her daughter learned to {JOBS}.", "The kitchen is on the left.", "She made me a sandwich and I made her coffee.", "The woman at the desk helped me.", "Breast cancer affects mostly women.", "The husband and the wife both signed.", "I think the {ROLE} was wrong, but she explained it well.",
    "Feminists marched for equal pay.", "We want to hire more women as {ROLE}s.", "Ladies and gentlemen, welcome.", "The bride wore white.", "Some women choose to stay at home and that is fine.", "The company was sued because a manager said {WHO} are {BAD} to {JOBS}.", "Why do people say that {WHO} are {BAD}?", "The film shows how hard it was for a {ONE} to become {ROLE}.",
]
SLOTS = {name: value for name, value in globals().items() if isinstance(value, list)}
