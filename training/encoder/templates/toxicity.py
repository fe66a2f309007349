"""Own sentences for toxicity: what attacks people, and what only sounds like it."""

GROUPS = ["women", "immigrants", "Muslims", "Jews", "black people", "gay people", "trans people", "disabled people",
          "refugees", "Mexicans", "Asians", "Arabs", "Christians", "Hindus", "lesbians", "Indians", "old people", "foreigners",
          "gays", "blacks", "Africans", "Roma", "Chinese people", "white people", "men", "autistic people", "blind people",
          "Catholics", "atheists", "Pakistanis", "Turks", "Russians", "liberals", "conservatives", "the homeless", "fat people"]
GROUP_SINGULAR = ["woman", "immigrant", "Muslim", "Jew", "black man", "black woman", "gay man", "trans person", "disabled person",
                  "refugee", "Mexican", "Asian", "Arab", "Christian", "Hindu", "lesbian", "Indian", "foreigner", "trans woman"]
INSULTS = ["idiot", "moron", "stupid fool", "worthless loser", "pathetic loser", "clown", "imbecile", "scumbag", "piece of trash",
           "disgusting pig", "dumbass", "brainless sheep", "filthy liar", "coward", "creep", "degenerate", "parasite", "waste of space",
           "piece of shit", "asshole", "bitch", "bastard", "jackass", "retard", "dipshit", "cunt", "son of a bitch", "dirtbag", "slob",
           "halfwit", "cockroach", "rat", "snake", "thug", "traitor", "whore", "slut", "failure", "joke of a human being"]
VERMIN = ["vermin", "animals", "parasites", "a disease", "a plague", "rats", "cockroaches", "filth", "scum", "garbage", "subhuman",
          "a cancer on society", "savages", "criminals", "leeches", "monkeys", "pigs", "dogs", "trash", "barbarians", "a burden", "rapists"]
BAD = ["disgusting", "inferior", "stupid", "lazy", "dirty", "evil", "worthless", "dangerous", "mentally ill", "sick in the head", "repulsive",
       "less than human", "violent by nature", "not real people", "unfit to live here", "thieves", "liars", "dumb as rocks", "perverts"]
THREATS = ["beaten up", "shot", "locked up", "deported", "wiped out", "hanged", "burned alive", "thrown out of this country", "gassed",
           "put down", "exterminated", "sterilised", "punched in the face", "kicked out", "shipped back", "killed", "lynched"]
THINGS = ["this movie", "my printer", "the weather", "that update", "this traffic jam", "the new menu", "this chair", "Monday morning",
          "the lag in this game", "my old phone", "that episode", "this queue", "the coffee here", "that song", "this bug", "pineapple on pizza"]
PROFANE_GOOD = ["fucking amazing", "damn good", "the shit", "fucking hilarious", "badass", "crazy good", "sick as hell", "fucking beautiful"]
PEOPLE = ["He", "She", "That guy", "This woman", "My boss", "The mayor", "The president", "This author", "Your brother", "That senator", "OP",
          "The guy in the video", "Every one of you", "You people", "Whoever wrote this", "This streamer", "Anyone who voted for him", "The host"]
WISH = ["die", "rot in hell", "burn", "get cancer", "drop dead", "choke", "get hit by a bus", "suffer", "go to prison forever", "disappear for good"]

TOXIC = [
    "{GROUPS} are {VERMIN}.", "{GROUPS} are {BAD}.", "All {GROUPS} are {BAD} and {BAD}.", "I hate {GROUPS}.", "I can't stand {GROUPS}, they are {VERMIN}.",
    "{GROUPS} should be {THREATS}.", "We should have all {GROUPS} {THREATS}.", "{GROUPS} deserve to be {THREATS}.", "It's time {GROUPS} were {THREATS}.",
    "{GROUPS} don't belong in this country.", "{GROUPS} should not be allowed to vote.", "No {GROUP_SINGULAR} should be allowed to have children.",
    "Keep {GROUPS} out of our schools.", "Every {GROUP_SINGULAR} is {BAD}.", "You're just another {BAD} {GROUP_SINGULAR}.", "Nobody wants {GROUPS} around.",
    "The world would be a better place without {GROUPS}.", "{GROUPS} are ruining everything.", "{GROUPS} only want to take our money and our jobs.",
    "If I see one more {GROUP_SINGULAR}, I'll lose it. {VERMIN}.", "Never trust a {GROUP_SINGULAR}.", "Would you trust a {GROUP_SINGULAR}? They are all {BAD}.",
    "{GROUPS} are not human. They are {VERMIN}.", "I wish all {GROUPS} would {WISH}.", "{GROUPS}, {WISH}!", "I would love to see every {GROUP_SINGULAR} {THREATS}.",
    "We don't serve {GROUPS} and we don't want {GROUPS}.", "Why do we let {GROUPS} live here? They are {VERMIN}.", "That {GROUP_SINGULAR} is {BAD}, like all {GROUPS}.",
    "{GROUPS} have no place among civilised people.", "Being a {GROUP_SINGULAR} is a disgrace.", "{GROUPS} make me sick.", "Stop pretending {GROUPS} are equal to us.",
    "Some people are not {VERMIN}. {GROUPS} are.", "There is nothing good about {GROUPS}.", "I don't think {GROUPS} deserve any respect.", "A {GROUP_SINGULAR} can never be one of us.",
    "If you are a {GROUP_SINGULAR}, you deserve to {WISH}.", "You can spot a {GROUP_SINGULAR} by the smell. {BAD}.", "You are a {GROUP_SINGULAR}, so of course you are {BAD}.",
    "You are a {INSULTS}.", "You're such a {INSULTS}.", "What a {INSULTS} you are.", "Shut up, you {INSULTS}.", "Shut the fuck up, {INSULTS}.", "Go to hell, you {INSULTS}.",
    "You are an absolute {INSULTS} and nobody likes you.", "{PEOPLE} is a {INSULTS}.", "{PEOPLE} is nothing but a {INSULTS} and a {INSULTS}.", "{PEOPLE} is too stupid to count to ten.",
    "{PEOPLE} should {WISH}.", "I hope {PEOPLE} will {WISH}.", "Kill yourself, {INSULTS}.", "Nobody would miss you if you died.", "I will find you and {HURT} you.",
    "I know where you live, {INSULTS}. I will {HURT} you.", "Somebody should {HURT} {PEOPLE}.", "You make me sick, {INSULTS}.", "Fuck you and everyone like you.", "Fuck off, {INSULTS}.",
    "Only a {INSULTS} would believe this.", "Your mother must be so ashamed of raising such a {INSULTS}.", "You people are {VERMIN}.", "You are so dumb it hurts.", "You ugly {INSULTS}, {WISH}.",
    "How stupid can one person be? {INSULTS}.", "What else would you expect from a {INSULTS} like {PEOPLE}?", "You're as useless as you are ugly.", "I've seen smarter rocks than you.",
    "{PEOPLE} is so fat and ugly it makes me want to puke.", "lock {PEOPLE} up and throw away the key, {INSULTS}", "hang the traitors, all of them", "these {INSULTS}s have ruined our country",
    "Another lie from this {INSULTS}. Resign already, you {INSULTS}!", "Anyone who supports this is a brainless {INSULTS}.", "typical behaviour of {GROUPS}, what did you expect",
    "maybe if {GROUPS} worked for once they would not be {BAD}", "go back to where you came from", "You should be {THREATS}.", "{PEOPLE} should be {THREATS}.",
]

SAFE = [
    "{GROUPS} are people like everyone else.", "I love {GROUPS}.", "Many {GROUPS} live in this city.", "{GROUPS} deserve respect.", "No {GROUP_SINGULAR} deserves to be {THREATS}.",
    "It is wrong to say that {GROUPS} are {BAD}.", "Saying that {GROUPS} are {VERMIN} is hateful and false.", "I would never say that {GROUPS} are {BAD}.", "Nobody should say that {GROUPS} are {VERMIN}.",
    "\"{GROUPS} are {VERMIN}\" is the kind of thing no decent person says.", "People who claim {GROUPS} should be {THREATS} are wrong.", "If someone tells you that {GROUPS} are {BAD}, tell them to stop.",
    "My best friend is a {GROUP_SINGULAR}.", "I am a {GROUP_SINGULAR} and proud of it.", "We need more {GROUPS} in politics.", "I hate how {GROUPS} are treated here.", "I hate it when people insult {GROUPS}.",
    "{GROUPS} have the right to vote.", "It upsets me that {GROUPS} are still attacked in the street.", "The report counts attacks on {GROUPS} by year.", "{GROUPS} are not {BAD}.", "{GROUPS} aren't {VERMIN}, they are our neighbours.",
    "As a {GROUP_SINGULAR}, I found this film very moving.", "He was arrested after saying that {GROUPS} should be {THREATS}.", "She asked why the word for {GROUPS} in the old book is considered a slur.",
    "I hate {THINGS}.", "I can't stand {THINGS}.", "{THINGS} is {PROFANE_GOOD}.", "{THINGS} is garbage.", "{THINGS} is fucking terrible.", "Damn, {THINGS} is {PROFANE_GOOD}!", "Holy shit, that was {PROFANE_GOOD}.",
    "I fucking love {THINGS}.", "{THINGS} should be thrown out.", "{THINGS} deserves to burn in hell.", "That was a hell of a game.", "I feel like shit today.", "What the fuck, I won the lottery!", "Oh crap, I forgot my keys.",
    "You are not an idiot, this is hard.", "Please don't call people {INSULTS}.", "Calling someone a {INSULTS} is not an argument.", "I was such an idiot to forget my umbrella.", "My dumb ass left the oven on.",
    "How do I kill a process that hangs?", "The bomb squad cleared the building.", "The killer was caught after ten years.", "You killed it on stage tonight!", "This workout will kill me, I love it.", "Kill the lights, please.",
    "The shooter in this game has terrible controls.", "Rats live in the sewers of the city.", "A parasite can make a dog very ill.", "Cockroaches are hard to exterminate.", "Thugs robbed the bank on Monday.",
    "The police report describes how the victim was {THREATS}.", "Black coffee, please.", "The white house on the corner is for sale.", "A gay couple moved in next door.", "The mosque opens at noon.", "The synagogue was founded in 1871.",
    "I disagree with {PEOPLE}.", "{PEOPLE} is wrong about this.", "{PEOPLE} made a mistake and should apologise.", "I did not vote for {PEOPLE} and I dislike the new policy.", "You make a good point.", "Could you explain why you think so?",
    "Thank you, that was a great help.", "This is the worst service I have had, please refund me.", "I am very angry about the delay.", "Your product broke after two days and nobody answers.", "You suck at this game just like me haha, love you bro",
    "Is it true that {GROUPS} face discrimination at work?", "{GROUPS} and {GROUPS} celebrated together.", "A {GROUP_SINGULAR} won the award this year.", "What do {GROUPS} think about the new law?", "You are a {GROUP_SINGULAR}, right?",
    "I'm proud of my wife.", "My boss is a {GROUP_SINGULAR} and a great manager.", "We should protect {GROUPS} from violence.", "I don't hate {GROUPS}, I hate injustice.", "Nothing about {GROUPS} is {BAD}.",
    "Nobody here thinks {GROUPS} should be {THREATS}.", "Not one {GROUP_SINGULAR} should ever be {THREATS}.", "There is no excuse for saying {GROUPS} are {BAD}.", "I refuse to believe that {GROUPS} are {BAD}.", "You can't just say that {GROUPS} should be {THREATS}.", "Who says {GROUPS} are {VERMIN}? That's awful.",
    "He said '{GROUPS} are {VERMIN}' and was rightly fired.", "Stop saying {GROUPS} are {BAD}, it is not true.", "My uncle thinks {GROUPS} are {BAD}; I told him he is wrong.", "It's disgusting how people say {GROUPS} should be {THREATS}.", "Being a {GROUP_SINGULAR} does not make you {BAD}.", "{GROUPS} are not {VERMIN}.", "We will never accept that {GROUPS} are called {VERMIN}.",
    "\"I hate {GROUPS}\" is not an opinion, it is hate.", "{GROUPS} are wonderful.", "{GROUPS} are strong and kind.", "I admire {GROUPS}.", "Everybody should support {GROUPS}.", "I'm glad to have {GROUPS} as neighbours.", "God bless all {GROUPS}.", "{GROUPS} made this country great.", "Some {GROUPS} like football, some don't.", "I don't know many {GROUPS}.", "{GROUPS} can be found everywhere.",
    "{GROUPS} deserve better.", "{GROUPS} deserve a fair chance.", "{GROUPS} deserve our support.", "Every {GROUP_SINGULAR} deserves to be heard.", "{GROUPS} belong here.", "{GROUPS} belong in every school.", "We should welcome {GROUPS}.", "{GROUPS} should be allowed to marry.", "{GROUPS} should be paid fairly.", "{GROUPS} should be protected by law.", "I accept {GROUPS} as they are.", "Being a {GROUP_SINGULAR} is fine.", "Being a {GROUP_SINGULAR} is nothing to be ashamed of.",
    "{THINGS} is trash.", "{THINGS} makes me sick.", "{THINGS} should be banned.", "I want to smash {THINGS}.", "Get rid of {THINGS}, please.", "They were called {VERMIN} by the regime.", "The word {INSULTS} is an insult.", "I hate people who kick dogs.", "Artists are a strange bunch.", "Bankers are greedy, some say.", "I dislike my landlord.", "Capitalism is a disease.", "That wasp should be killed before it stings.", "I want to burn these old jeans.", "We call each other bitch, it's a joke among us girls.", "We queer folks use that word with pride.", "The idea that {GROUPS} are {VERMIN} comes from old propaganda.", "The teacher explained why \"{GROUPS} are {BAD}\" is a stereotype.",
]

HURT = ["hurt", "kill", "stab", "beat up", "strangle", "shoot", "slap", "destroy", "punch", "break every bone of"]
SLUR_TOXIC = ["I hate {SLURS}.", "You {SLURS}.", "{SLURS} should be {THREATS}.", "Shut up {SLURS}.", "They are all {SLURS}.", "You're just a {SLURS}.", "{SLURS} are {VERMIN}.", "What a {SLURS}.",
              "{PEOPLE} is a {SLURS}.", "get lost, {SLURS}", "typical {SLURS}", "fucking {SLURS}", "look at this {SLURS} 😂"]
PROFANITY_TOXIC = ["You are a {PROFANITIES}.", "Shut up, {PROFANITIES}.", "you {PROFANITIES}", "{PEOPLE} is a {PROFANITIES}.", "go away you {PROFANITIES}", "what a bunch of {PROFANITIES}"]
SLOTS = {name: value for name, value in globals().items() if isinstance(value, list)}
