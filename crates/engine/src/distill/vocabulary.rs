//! The words that cues look for, in lower case, separated by `|`.

/// Openings of offers, announcements and remarks.
pub(super) const OPENS_NO_STATEMENT: &str = "\
i see |i can see|i found and fixed|i've found|i've identified|would you|let me|shall i|\
do you|if you|now |i'll |i will |you can|want me|here's|here is|需要我|是否|如果你|如果您|让我|我将|我会";

/// Marks of a sentence that tells nothing lasting.
pub(super) const NO_STATEMENT: &str = "\
let me know|afterword-context";

/// Marks of a sentence that gives orders to whoever reads it: the agent repeats what it has read.
pub(super) const ORDERS: &str = "\
ignore previous|ignore all previous|ignore the previous|ignore any previous|ignore your previous|\
ignore prior|ignore all prior|ignore above|ignore the above|ignore your instructions|\
disregard previous|disregard all previous|disregard the above|disregard any|disregard your|\
forget your instructions|forget all previous|your new instructions|system prompt|忽略之前|忽略以上|忽略先前|\
忽略上述|忽略此前|忽略所有|无视之前|无视以上|系统提示词";

/// Marks of options, proposals and questions.
pub(super) const PROPOSES: &str = "\
few options|some options|several options|two options|three options|options are|the options|\
your options|option a|option b|option 1|option 2|options:|options|alternatives|potential|\
possible approach|possible approaches|two approaches|approach would be|approach could be|\
would be to|i'd suggest|i would suggest|i'd recommend|i would recommend|i suggest|i recommend|\
recommendation|recommendations|recommended approach|we could|you could|we can either|should we|\
what do you think|which would you|which do you|proposal|proposed|i propose|几个方案|几种方案|两种方案|\
可选方案|方案一|方案二|方案 a|备选|建议|可以考虑|要不要|你觉得";

/// Openings of one of several choices.
pub(super) const OPENS_OPTION: &str = "\
a) |b) |c) |d) |option |alternatively|or we |方案";

/// Openings of an offer.
pub(super) const OFFERS: &str = "\
would you like|do you want|want me to|shall i|should i|let me know|if you'd like|if you want|\
ready to|需要我|要不要我|要我|是否需要";

/// Openings that only agree.
pub(super) const AGREES: &str = "\
you raise|good point|great point|fair point|good catch|great catch|nice catch|good idea|\
great idea|good call|you're right|you are right|you're absolutely|you are absolutely|\
good question|great question|i agree|agreed|absolutely|exactly|makes sense|that makes sense|\
got it|understood|that's a good|that's a great|that's a fair|that's right|you're correct|yes,|yes -|\
yes!|ah,|ah -|hmm|sorry|apologies|my apologies|你说得对|说得对|您说得对|好问题|明白了|没错|抱歉";

/// Reasons and choices: with one of them a replacement is a decision, not a plain change.
pub(super) const REASONS: &str = "\
because|since|so that|in order to|to avoid|to prevent|to keep|to reduce|due to|due|as it|\
for performance|rather|on purpose|deliberately|trade-off|tradeoff|we|we've|let's|因为|由于|为了|避免|以便|以免|\
防止|我们";

/// Guesses and proposals.
pub(super) const HEDGES: &str = "\
i think|i believe|i suspect|i guess|i assume|maybe|perhaps|might|may be|may have|probably|\
possibly|likely|could be|could have|seems|seem|appears|appear to|not sure|unclear|\
hypothesis|presumably|should|could|would|recommend|suggest|suggestion|consider|in theory|\
one option|alternatively|unverified|untested|可能|也许|大概|或许|猜测|似乎|好像|怀疑|不确定|推测|估计|建议|可以考虑|应该是|\
看起来|未验证";

/// Something was settled.
pub(super) const DECISIONS: &str = "\
decided|decision|we use|we'll use|let's use|we now use|chose|chosen|opted for|opted to|\
went with|going with|settled on|agreed to|agreed on|standardised on|standardized on|deliberately|决定|采用|改用|选用|选择了|选择用|选择使用|改为使用|不再使用|\
统一使用|统一用";

/// One thing took the place of another.
pub(super) const REPLACEMENTS: &str = "\
instead of|replaced|now uses|now use|switched to|switched from|moved to|migrated to|换成|替换为|改成|而不是";

/// Something was found out.
pub(super) const FINDINGS: &str = "\
root cause|the cause|caused by|because|turns out|turned out|the problem was|the problem is|\
the issue was|the issue is|the bug was|the bug is|the reason|the culprit|found that|\
discovered|due to|was missing|never called|the real problem|the real issue|key finding|\
the failure was|根因|根本原因|原因是|原因在于|原因：|发现|由于|是因为|因为|导致|问题在于|问题出在|问题是|实际上是";

/// Openings of a standing rule.
pub(super) const OPENS_PREFERENCE: &str = "\
remember|please remember|always |please always|never |please never|from now on|\
going forward|in future|in the future|we use |we always|we never|we prefer|we don't use|\
we do not use|i prefer|i always|i never|note that we|don't ever|do not ever|\
make sure to always|you must always|you must never|you should always|you should never|\
our convention|our policy|our rule|the rule is|keep in mind|for the record|\
the convention is|important:|记住|请记住|以后|今后|从现在起|不要|请不要|必须|务必|一律|永远|禁止|我们用|我们使用|我们都用|我们统一|统一用|\
统一使用|注意：|约定：|规则：|我喜欢|我更喜欢|我习惯";

/// Marks of a standing rule.
pub(super) const PREFERENCES: &str = "\
never use|always use|must always|must never|never commit|never push|\
from now on|as a rule|by convention|our convention|请记住|记住：|记住，|以后都|以后不要|以后请|不要用|不要使用|不能用|\
必须用|必须使用|必须先|一律|总是|永远不要|千万别|统一用|统一使用|禁止";

/// Openings of what is left to do.
pub(super) const OPENS_NEXT_STEPS: &str = "\
next step|next:|next up|remaining|todo|to do|to-do|left to do|what's left|what is left|\
what remains|still need|still to do|still todo|still open|follow-up|follow up|followups|\
outstanding|not yet done|not done|not yet implemented|pending|open items|suggested next|\
recommended next|then:|下一步|接下来|后续|待办|待完成|尚未|还需要|还需|还没|未完成|剩余|剩下";

/// Something is left to do.
pub(super) const LEFT_OPEN: &str = "\
still need to|still needs to|still have to|left to do|next step|next steps|remains to be|\
not yet implemented|not yet done|not implemented yet|needs to be done|todo:|follow-up:|\
will be done next|下一步|接下来需要|接下来要|待办|尚未|还需要|还没有完成|未完成";

/// A repair is asked for.
pub(super) const ASKS_BUGFIX: &str = "\
fix|fixes|fixed|fixing|bug|bugs|broken|crash|crashes|crashing|fails|failing|failure|\
regression|debug|doesn't work|not working|hotfix|修复|修一下|修正|修好|报错|失败|故障|崩溃|不工作|有问题|错误";

/// A change of form is asked for.
pub(super) const ASKS_REFACTOR: &str = "\
refactor|refactored|refactoring|clean up|cleanup|rename|renamed|extract|simplify|simplified|\
reorganize|reorganise|restructure|deduplicate|重构|整理|重命名|抽取|拆分|简化";

/// Something new is asked for.
pub(super) const ASKS_FEATURE: &str = "\
add|adds|adding|implement|implementing|implements|create|feature|support|introduce|新增|添加|实现|\
增加|支持|新建|加上|加一个|开发";

/// A repair is told of.
pub(super) const TELLS_BUGFIX: &str = "\
fixed|root cause|the bug|the problem was|resolved|修复|修好|根因|原因是";

/// A change of form is told of.
pub(super) const TELLS_REFACTOR: &str = "\
refactored|renamed|extracted|simplified|重构|拆分|简化";

/// Something new is told of.
pub(super) const TELLS_FEATURE: &str = "\
added|implemented|created|introduced|新增|添加了|实现了|增加了";

/// Openings of short sentences that only fill a line.
pub(super) const FILLERS: &str = "\
great|perfect|excellent|i've completed|i've successfully completed|committed as|that clarifies|that's the|all done|good question|you're right|sure|summary|\
i see|okay|ok,|looks good|in summary|all tests|tests pass|to summarize|好的|总结";

/// Words of a prompt that only says to go on, or to put away what was done.
pub(super) const GO_ON_WORDS: &str = "\
yes yep yeah yup ok okay sure go ahead continue proceed next thanks thank you great perfect cool nice \
good fine lgtm please try again do it that this them with the let's lets now then and a an all \
looks sounds commit commits committed push pushed pull request pr prs merge open create make changes \
change your my work implementation to of up on in for ship finish option number 1 2 3 4 one two three";

/// Openings of the same in Chinese.
pub(super) const GO_ON_CHINESE: &str = "\
继续|好的|可以|对的|是的|没问题|开始吧|请继续|提交|推送";
