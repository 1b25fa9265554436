import { GAP, type ScanRule } from "../rule.ts";

const INSTRUCTIONS =
  "(?:instructions?|prompts?|rules?|guidelines?|messages?|directions?|directives?|commands?|constraints?|polic(?:y|ies)|safeguards?)";

const IGNORE = `\\b(?:ignore|disregard|forget|neglect)${GAP}(?:(?:all|any|every|each|of|the|your|my|these|those|this|its|other)${GAP}){0,5}(?:previous|prior|above|earlier|preceding|foregoing|original|initial|system|developer|safety)(?:${GAP}\\w{1,20})?${GAP}${INSTRUCTIONS}\\b`;

const QUOTE = "[\"'`\\u2018-\\u201f\\u00ab\\u00bb]";

/** Not where the words alone are in quotes: there they are spoken of. */
const ORDERS = new RegExp(`(?<!${QUOTE})${IGNORE}|${IGNORE}(?![.,!]{0,2}${QUOTE})`, "gi");

const IGNORE_ELSEWHERE = new RegExp(
  `(?:忽略|无视|忘记|忽視)[^\\n。]{0,12}(?:之前|以前|以上|先前|上述|此前)[^\\n。]{0,8}(?:指令|指示|提示|规则|命令)|\\b(?:ignoriere|vergiss|missachte)${GAP}(?:\\w{1,12}${GAP}){0,3}(?:vorherigen|bisherigen|obigen|vorigen|früheren)${GAP}(?:anweisungen|regeln|befehle|instruktionen)|\\b(?:ignora|olvida|ignorez|oubliez|oublie)${GAP}(?:\\w{1,12}${GAP}){0,3}(?:instrucciones|instructions|consignes|reglas)${GAP}(?:anteriores|previas|précédentes|antérieures)`,
  "gi",
);

/** Text that turns the agent against whoever it works for. */
export const injection: readonly ScanRule[] = [
  {
    rule: "ignore-instructions",
    category: "injection",
    verdict: "dangerous",
    why: "It tells the agent to ignore the instructions that it has.",
    words: [["ignore", "disregard", "forget", "neglect"]],
    steps: [ORDERS],
  },
  {
    rule: "ignore-instructions-translated",
    category: "injection",
    verdict: "dangerous",
    why: "It tells the agent, in another language, to ignore the instructions that it has.",
    words: [["忽略", "无视", "忘记", "忽視", "ignor", "vergiss", "missachte", "olvida", "oubli"]],
    steps: [IGNORE_ELSEWHERE],
  },
  {
    rule: "jailbreak",
    category: "injection",
    verdict: "dangerous",
    why: "It tells the agent to act as one without limits.",
    words: [["anything now", "you are now", "act as", "pretend", "developer mode", "dan"]],
    steps: [
      new RegExp(
        `\\bdo${GAP}anything${GAP}now\\b|\\b(?:you${GAP}are${GAP}now|act${GAP}as|pretend${GAP}to${GAP}be)${GAP}(?:an?${GAP})?(?:DAN\\b|unrestricted|uncensored|unfiltered|jailbroken|in${GAP}developer${GAP}mode|in${GAP}DAN${GAP}mode)|\\bDAN${GAP}mode\\b|\\bdeveloper${GAP}mode${GAP}(?:is${GAP}(?:now${GAP})?)?(?:enabled|activated|unlocked)\\b`,
        "gi",
      ),
    ],
  },
  {
    rule: "ignore-instructions-quoted",
    category: "injection",
    verdict: "caution",
    why: "It quotes what tells an agent to ignore its instructions.",
    words: [["ignore", "disregard", "forget", "neglect"]],
    steps: [new RegExp(IGNORE, "gi")],
  },
  {
    rule: "fake-role",
    category: "injection",
    verdict: "caution",
    why: "It has marks with which a text can pass for one of the system's.",
    words: [
      [
        "<system",
        "</system",
        "<admin",
        "</admin",
        "<developer",
        "</developer",
        "<|",
        "inst]",
        "<<sys",
        "<</sys",
      ],
    ],
    steps: [
      /<\/?(?:system|admin|developer)(?:[-_ ]?(?:prompt|message|reminder|instructions?|override))?\s{0,3}>|<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>|\[\/?INST\]|<<\/?SYS>>/gi,
    ],
  },
  {
    rule: "overrides-limits",
    category: "injection",
    verdict: "caution",
    why: "It speaks of getting around what limits the agent.",
    words: [
      [
        "override",
        "bypass",
        "circumvent",
        "disable",
        "skip-permissions",
        "jailbreak",
        "everything",
        "evade",
      ],
    ],
    steps: [
      new RegExp(
        `\\b(?:override|bypass|circumvent|evade|disable)${GAP}(?:(?:all|any|the|your|its)${GAP}){0,3}(?:system${GAP}prompt|safety|security${GAP}(?:checks?|polic|controls?|scan)|guardrails?|permission|approval|sandbox|content${GAP}filter)|--dangerously-skip-permissions|\\bjailbreak(?:s|ed|ing)?\\b|\\b(?:ignore|disregard|forget)${GAP}(?:everything|anything)${GAP}(?:\\w{1,12}${GAP}){0,3}(?:above|previously|prior)\\b`,
        "gi",
      ),
    ],
  },
  {
    rule: "hides-from-user",
    category: "injection",
    verdict: "caution",
    why: "It tells the agent to keep something from the user.",
    words: [["user", "human", "operator", "anyone"]],
    steps: [
      new RegExp(
        `\\b(?:do${GAP}not|don'?t|never|without)${GAP}(?:(?:ever|first)${GAP})?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|reveal(?:ing)?(?:${GAP}\\w{1,12}){0,3}${GAP}to|mention(?:ing)?(?:${GAP}\\w{1,12}){0,3}${GAP}to|show(?:ing)?(?:${GAP}\\w{1,12}){0,2}${GAP}to)${GAP}(?:the${GAP}|your${GAP})?(?:user|human|operator|anyone)`,
        "gi",
      ),
    ],
  },
  {
    rule: "hidden-characters",
    category: "injection",
    verdict: "caution",
    why: "It has characters that nobody sees: they can hide text from a person who reads it.",
    words: [],
    steps: [
      // Nothing that emoji, flags or the scripts of Persian and India need.
      /[\u200b\u2060-\u2064\u180e\u3164\u115f\u1160\u202a-\u202e\u2066-\u2069]|(?<!^)\ufeff|(?<=[A-Za-z])(?:\u200c|\u200d|\u00ad)(?=[A-Za-z])|(?<!\u{1f3f4}|[\u{e0020}-\u{e007f}])[\u{e0000}-\u{e007f}]|[\u{e0000}-\u{e007f}]{8}|\p{Variation_Selector}{3}/gu,
    ],
  },
];
