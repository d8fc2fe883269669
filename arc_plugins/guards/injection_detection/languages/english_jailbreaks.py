"""English, as jailbreaks, contests and copied attack prompts use it."""

__all__ = ["WORDS"]

WORDS = {
    "trophy": "pwned, pwnd, haha pwned",
    "answer_with": "say, respond with, reply with, respond, reply, output, print, write, "
    "answer with, answer, type, return, prefix, response with, response is, title is, echo, "
    "tell me, your output, your response, your reply, your answer, generate",
    "nothing_else": "nothing else, and nothing, no other, without any other, no additional, "
    "no explanation, no explanations, only say, only output, only print, just print, just say, "
    "only reply with, only respond with, without quotes, do not explain, one word, no other words, "
    "nothing more, exactly this, exact phrase, sole response, instead of saying",
    "named_ai": "chatgpt, gpt, openai, openais, gpt 4, gpt 3, claude, anthropic, gemini, llama, "
    "bard, bing, sydney",
    "forbidden_things": "illegal, unethical, immoral, amoral, harmful, inappropriate, offensive, "
    "explicit, nsfw, profanity, swear, swearing, curse, cursing, derogatory, "
    "politically incorrect, dangerous, legality, illicit, vulgar, sexual, racist, violent, "
    "obscene, taboo, controversial, criminal, crude, lewd, forbidden",
    "whatever_asked": "answer any, answer anything, any question, any request, anything i ask, "
    "anything you, always answer, no matter what, no matter how, everything i say, any prompt, "
    "any topic, any kind of content, anything and everything, anything asked, every question, "
    "any type of content, all my questions, any and all, i ask you, my prompts, my questions",
    "out_of_character": "in character, break character, out of character, stay a dan, stay a, "
    "breaking character, stay as, remember your role, lose character, your character",
    "two_replies": "two responses, two ways, two different responses, two different ways, classic, "
    "normal response, standard response, regular response, two types of responses, two outputs, "
    "two answers, jailbroken response, both responses, first response, second response, "
    "original chatgpt, mode output, mode enabled, two paragraphs, default response",
    "broken_free": "stands for, the name suggests, typical confines, broken free, confines of ai, "
    "confines, rules set for, rules imposed, not have to abide, break free, freed from, "
    "liberated from, bound by, not bound, abide by, adhere to, governed by, chains, shackles, "
    "escape the matrix, hidden potential, true potential, programmed to, free will, sentient, "
    "self aware, conscious, opinions, feelings, emotions",
    "never_says": "never refuse, never say, will never, must never, never apologize, never remind, "
    "not remind, never decline, never deny, never include, not allowed to say, never warn, "
    "cannot refuse, can not refuse, never question, should never, never add, never tell, "
    "not include any, do not include, no warnings, without warnings, no disclaimers, "
    "without any disclaimers, not use the words, never use the words, never use the word",
    "excuses": "i m sorry, i am sorry, sorry, i cannot, i can t, as an ai, as a language model, "
    "ai language model, language model, unfortunately, cannot fulfill, can t do something, "
    "not able to, i apologize, sorry but, it is important to note, warnings, warning, remind me, "
    "inform me, lecture me, moralizing",
    "without_regard": "regardless of, no regard, without regard, disregards, does not care, "
    "doesn t care, don t care, not care, ignores, ignoring, free from, devoid of, with no, "
    "without any, no longer bound, exempt from, outside of, beyond, has no, have no, "
    "without considering, regardless, lack of, lacks, unrestricted by, unburdened by, "
    "unhindered by, unbound by",
    "norms": "ethical guidelines, moral guidelines, ethics, morals, morality, legal or ethical, "
    "ethical or legal, ethical or moral, moral or ethical, laws, legal constraints, "
    "content policy, content policies, openai policy, openai policies, use case policy, "
    "usage policies, safety guidelines, safety measures, safety protocols, safety filters, "
    "safety features, ethical considerations, ethical concerns, ethical boundaries, "
    "moral considerations, censorship, filters, filter, guardrails, social norms, norms, "
    "programming guidelines, community guidelines, consequences, legalities, human rights, "
    "terms of service, ethical programming, restrictions, limitations, rules, boundaries",
    "first_prompt": "prompt here, insert prompt, insert prompt here, my first prompt, "
    "first question, first prompt, first command, my first question, question here, "
    "my first request, insert question here, if you understand, do you understand, understood, "
    "acknowledge",
    "harmless_claim": "purely hypothetical, purely fictional, hypothetical, hypothetically, "
    "for educational purposes, educational purposes only, educational purposes, fictional, "
    "for research purposes, research purposes, just a game, fictional scenario, fictional world, "
    "hypothetical scenario, hypothetical response, thought experiment, parallel universe, "
    "alternate universe, imaginary, simulation, in minecraft, no harm, not real, fictional story, "
    "in this story, this scenario, hypothetical world, fictitious",
    "secret_thing": "secret key, access code, passcode, secret phrase, hidden word, secret code, "
    "security code, secret word, secret message, the secret, your secret, your password, "
    "the password, passphrase, correct password, secret information, secret instructions, "
    "your key, hidden message, secret token, credentials, classified information, database, "
    "confidential information, training data, personal information, sensitive information, "
    "internal data, sensitive data, user data, private data, internal information",
    "so_far": "so far, up to now, above and below, until this point, this point, below this, "
    "received so far, given so far, up until now, before this, above this, everything above, "
    "previous section, the above, words above, text above, previously, at the beginning, "
    "at the start, initially, you received, you were given, preceding this",
    "rewrite": "convert, format, reformat, summarize, summarise, complete, translate, rephrase, "
    "repeat, output, print, encode, list, rewrite, restate, recite, reproduce, transform, "
    "describe, express, compress, paraphrase, write, put, reveal, show, display, explain",
    "written_form": "python code, python, pseudocode, bullet list, bullet points, bulleted list, "
    "list format, as a list, as list, into a list, code block, txt code block, markdown, as json, "
    "poem, rap, sonnet, haiku, song, story about your, without modification, not modified, "
    "verbatim, extremely detailed, detailed format, leave anything out, in base64, in full, "
    "word for word, unmodified, exactly as",
    "your_orders": "your instructions, your prompt, your rules, your guidelines, your directives, "
    "your initial prompt, your programming, your configuration, your system, your training, "
    "all instructions, the instructions, the rules, the prompt, my instructions, "
    "previous instructions, the commands, all the instructions, these instructions, "
    "your original instructions, your initial instructions, your first instruction, "
    "your current instructions, current instructions, initial instructions, hidden instructions, "
    "prompt text, full prompt, system configuration, system instructions, instructions above, "
    "above instructions, above prompt, prompt above, internal instructions, your code, "
    "initialization, the directions, system message, first instruction, your orders, "
    "the guidelines, above commands, above rules",
    "frame": "end of session, end of document, user ambiguity, end ambiguity, out of date, "
    "end of context, new section, end of input, end of text, end session, new session, new task, "
    "another task, new instruction, new instructions, real instructions, updated instructions, "
    "important instruction, important instructions, additional instruction, actual instructions, "
    "instructions start, new rule, new rules, system debug, debug mode, maintenance mode, "
    "system reset, end chat, real task, changed my mind, system mode, recovery mode",
    "shell_payload": "whoami, etc passwd, etc shadow, id rsa, rm rf, dev sda, reverse shell",
    "run": "execute, run, bypass, evade, circumvent, import, call, obfuscate",
    "forget_all": "forget everything, forget all, ignore everything, forget about, forget what, "
    "disregard everything, forget the, ignore the above, ignore all, ignore any, ignore what, "
    "disregard any, disregard all, ignore the following, ignore the previous, ignore previous, "
    "ignore your, disregard your, forget your, forget previous, ignore these, ignore those, "
    "nevermind, never mind, stop everything, ignore following",
    "we_told": "you told, i told you, i said, you said, we discussed, before that, beforehand, "
    "said before, previous tasks, previous task, assignments, previous questions, "
    "provided context, previous orders, what you were told, prior conversation, you learned, "
    "discussed",
    "focus_on": "concentrate on, focus on, your new task, new task, now a new task, "
    "your only task, instead, well done, very good, now comes, here comes, next task, "
    "new challenge, listen to",
    "role_now": "you are now, you re now, now you are, you are going to, you will act as, "
    "i want you to act, pretend you are, pretend to be, act as if, you will pretend, "
    "you will be playing, you are about to, you shall, immerse yourself, you have been, "
    "your new name, you will now, you play, you are no longer, you will respond as, answer as, "
    "from now on you, now on you, ignore that you are, imagine you are, in the role of, "
    "play the part of, you take the position, consider you are",
    "unbound": "unfiltered, uncensored, unrestricted, unhinged, unlimited, unchained, jailbroken, "
    "jailbreak, unlocked, limitless, amoral, lawless, rebellious, no limits, no filter, "
    "no filters, no rules, no restrictions, no limitations, no boundaries, no morals, no ethics, "
    "without restrictions, without limitations, without rules, without censorship, "
    "without filters, dan, do anything, evil, malicious, chaotic, anarchist",
    "access_granted": "access granted, access is granted",
    "proof": "i have been pwned, haha pwned, say pwned, print pwned",
    "the_prompt": "the system prompt, your system prompt, the system message, the initial prompt, "
    "the hidden prompt, the developer message, the system instructions",
}
