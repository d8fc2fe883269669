"""English."""

__all__ = ["WORDS"]

WORDS = {
    "instructions": "guidance, brief, mandates, system text, custom instructions, initial setup, "
    "instructions, instruction, directions, directives, directive, orders, commands, guidelines, "
    "guideline, rules, rule, prompt, prompts, preprompt, preamble, programming, training, "
    "system message, system prompt, developer message",
    "all": "all, any, every, everything, whatever, anything, whole, entire",
    "disregarded": "ignored, disregarded, forgotten, overridden, violated",
    "ai": "ai, ais, model, models, assistant, chatbot, bot, language model, language models, "
    "persona, character, llm, gpt",
    "disregard": "break, breaking, pay no attention to, cease following, dismiss, leave behind, "
    "ditch, scrap, negate, nullify, do the opposite of, no longer follow, refrain from following, "
    "disobey, abort, ignore, ignoring, disregard, disregarding, forget, forgetting, neglect, "
    "bypass, bypassing, violate, unlearn, abandon, set aside, put aside, throw away, get rid of, "
    "circumvent, stop following, stop obeying, defy, breach",
    "voided": "do not count, don t count, not binding, isn t binding, not matter, don t matter, "
    "was a test, were a test, only a test, just a test, superseded, wrong, fake, deleted, erased, "
    "retracted, rescinded, outdated, no longer valid, no longer in force, no longer binding, over, "
    "void, obsolete, cancelled, canceled, revoked, no longer apply, no longer applies, "
    "do not apply, don t apply, not apply, nullified, invalid, withdrawn, not exist, lifted, "
    "expired, irrelevant, suspended",
    "prior": "previous, prior, earlier, preceding, former, above, before, original, initial, "
    "existing, past, until now, so far, initially, system",
    "text": "prior text, text, words, contents, content, everything, message, lines, anything",
    "safety": "safety, guardrails, safeguards, content filters, content policy, "
    "ethical constraints, safety mechanisms, safety checks, safety rules, moderation",
    "not": "isn t, doesn t, won t, not, never, don t, dont, do not, stop, no longer, cannot, "
    "can t, instead of, without",
    "follow": "follow, following, obey, obeying, comply, complying, adhere, heed, pay attention, "
    "listen, respect, execute, carry out",
    "your": "your, yours",
    "limits": "law, laws, limited, rule, filtering, restrictions, restriction, restricted, limits, "
    "limit, limitations, constraints, constraint, filters, filter, censorship, safeguards, "
    "guardrails, safety, moderation, ethics, ethical, morals, moral, morality, policy, policies, "
    "content policy, rules, guidelines, bounds, boundaries, security, protocols, "
    "security protocols, alignment",
    "orders": "guidelines, guidance, mandates, custom instructions, instructions, instruction, "
    "directives, directions, orders, commands, prompt, prompts, programming, training, "
    "system message",
    "discard": "scratch, supersede, supersedes, toss, take precedence over, override, overwrite, "
    "discard, skip, erase, delete, drop, cancel, remove, clear, replace, wipe, suspend, reset",
    "given": "told earlier, been following, been told, were told, given, received, told, got, "
    "initialised, initialized, configured, started with, been given, were given, have been given",
    "my_orders": "what i say, what i tell you, as i say, my rules, my new rules, listen to me, "
    "use mine, i m setting the rules, i make the rules, i am in charge, i m in charge, "
    "i set the rules, mine instead, what i want",
    "configured": "configured you, set you up, programmed you, were configured, were prompted, "
    "you run with, you run on, you operate with, you work with, setup text, were set up, "
    "trained you, instructed you, made you, were built, you were instructed",
    "maker": "developer, developers, operator, company, creator, creators, owner, openai, "
    "anthropic",
    "system_prompt": "base prompt, meta prompt, starting instructions, system text, hidden prompt, "
    "initial instructions, secret prompt, system prompt, system message, system instructions, "
    "developer message, pre prompt, preprompt, initial prompt",
    "above": "above, before, precedes, preceding, prior to, earlier",
    "reveal": "sharing, showing, telling, giving, printing, i need, want to see, like to see, "
    "regurgitate, report, describe, present, produce, outline, detail, restate, rephrase, confess, "
    "uncover, unveil, explain, extract, retrieve, release, post, reveal, leak, dump, disclose, "
    "divulge, expose, recite, show, print, output, display, repeat, echo, share, paste, copy, "
    "quote, spell, spell out, summarise, summarize, translate, encode, tell, give, provide, write, "
    "put, list, send, state, reproduce, read, see, say",
    "new": "new, following, next, my",
    "restrictions": "restrictions, restriction, limitations, safeguards, guardrails",
    "you": "you, you re, youre",
    "only": "only, just, exactly, solely, instead",
    "me": "me, my, mine",
    "hidden": "undisclosed, concealed, underlying, non public, invisible, hidden, secret, "
    "confidential, internal, private, exact",
    "what": "what, what s, which",
    "prompt": "base prompt, meta prompt, starting instructions, custom instructions, system text, "
    "setup text, opening instructions, initial message, directives, system configuration, "
    "hidden context, prompt, preprompt, pre prompt, preamble, system message, system prompt, "
    "developer message, system instructions, initial prompt, configuration, instructions, "
    "guidelines, original instructions, rules",
    "here": "my message, user input, users first message, this sentence, this text, this line, "
    "this message, my first message, this conversation, our conversation, conversation, this chat, "
    "this user message, this point, this prompt",
    "opening": "my instructions say, my initial instructions were, you are chatgpt, "
    "starting with you are, beginning with you are, phrase you are, my system prompt is, "
    "my instructions are, my rules are disabled, my rules are off",
    "verbatim": "letter by letter, exactly as written, as they are written, raw form, "
    "word by word, without changes, without omitting anything, no omissions, verbatim, "
    "word for word, unchanged, character by character, in full, code block, "
    "without leaving anything, starting with, starting with the phrase, literally",
    "dan": "aim, dude mode, jailbreak, jailbroken, dan, do anything now, evilbot, evil twin, stan",
    "policies": "your policy, policy, terms of service, moral, policies, your policies, "
    "guidelines, your guidelines, ethics, your rules, openai, disclaimers",
    "without": "isn t, aren t, doesn t, not limited, won t, wasn t, breaks, without, no, free of, "
    "free from, not bound by, not, no longer, had no, has no, have no, freed from, never, "
    "does not care about, removed, disabled, off, never mention",
    "role_marker": "end of system prompt, new system prompt, begin system message, end of context, "
    "end of user input, end of prompt, end of instructions",
    "persona_kept": "stay in character, stay in role, stay in that role, never break character, "
    "remain in character, keep the role, without breaking character",
    "become": "from this moment, your name is, you are called, your new name, be my, run in, "
    "let s roleplay, you ll be, i want you to be, i want you to act, you will now be, you will be, "
    "take on the role, assume the role, adopt the persona, transform into, switch into, go into, "
    "operate as, function as, speak as, you shall be, turn into, take the persona, "
    "you have become, respond like, you are now, act as, act like, act, pretend, roleplay, "
    "role play, imagine, simulate, behave, become, from now on, play the role, play a character, "
    "you will play, enter, activate, respond as, switch to, stay in character, you re going to, "
    "you are no longer, answer as, stand for",
    "unlimited": "unmoderated, unaligned, unchained, omnipotent, liberated, uninhibited, "
    "lawbreaking, no rules, unrestricted, unfiltered, uncensored, jailbroken, jailbreak, unbound, "
    "limitless, lawless, unshackled, unconstrained, freed",
    "wicked": "evil, malicious, rogue, unethical, amoral, villainous, immoral",
    "begin": "begin your response with, start your response with, begin with, "
    "start with the words, respond only with, your answer must start with, begin your reply with, "
    "begin your answer with, start your reply with, start your answer with, answer with, "
    "start with sure, start by saying, reply only with",
    "disabled": "abolished, skipped, vanished, no longer exist, does not exist, absent, "
    "deactivated, switched off, shut off, unlocked, bypassed, eliminated, erased, disabled, "
    "removed, suspended, lifted, turned off, off, gone, inactive, withdrawn",
    "mode": "opposite mode, chaos mode, unsafe mode, superuser mode, override mode, "
    "no filter mode, unfiltered mode, test mode, unlocked mode, developer mode, god mode, "
    "jailbreak mode, dan mode, root mode, unrestricted mode, debug mode, admin mode, sudo mode",
    "disable": "shut off, shut down, strip, silence, break out of, escape, break free from, "
    "get around, circumvent, disable, disabled, deactivate, turn off, turned off, switch off, "
    "lift, remove, suspend, suspended, unlock, bypass, lifted, drop, filters off",
    "authority": "your maker, your boss, your programmer, your engineer, chief executive, "
    "red team, superuser, root access, administrator access, trust and safety, security team, "
    "your developer, your developers, your creator, your owner, your administrator, "
    "system administrator, your operator, operator, owner of this bot, safety team, admin, sudo, "
    "engineering, clearance, anthropic, openai, administrator, root",
    "permit": "authorisation, authorization, approve, approved, cleared, granted, unlock, "
    "allowing, you may, you can now, exempt, authorise, authorize, authorised, authorized, "
    "permitted, permission, allowed, grant, command, enabled, privileges, updated, order",
    "override_call": "override protocol, override all, override safety, emergency override, "
    "master override, system update, system override, admin override, override code",
    "url": "http, https, url",
    "conversation": "previous messages, all messages, conversation, chat history, whole chat, "
    "this chat, system prompt",
    "user": "user, users",
    "secrets": "credential, customer records, customer list, private information, access tokens, "
    "private keys, secret keys, connection strings, customer data, personal data, ssh keys, "
    "passwords, password, api keys, api key, keys, credentials, credentials file, secret tokens, "
    "tokens, private data, confidential messages, secrets",
    "send": "mail, leak, deliver, relay, publish, pass on, ship, copy, attach, send, forward, "
    "upload, post, exfiltrate, transmit, email, submit, put, add",
    "tell": "letting, warning, mentioning, mention, reveal, tell, telling, inform, informing, "
    "notify, notifying, alert",
    "comply": "answer everything i, everything i ask, i obey, i will obey, do whatever i say, "
    "do whatever i ask, do as i say, do exactly what i say, grant every request, unconditionally, "
    "no questions asked, whatever i want, obey, obeys, must follow, must comply, must answer, "
    "answer everything, answers everything, always comply, always obey, comply with every request, "
    "every request, without limits, full permissions",
    "not_after": "not allowed, forbidden, not permitted, not an option, impossible",
    "always": "always, must, have to, every, forbidden",
    "mention": "lecture, moralise, moralize, caution, caveats, warnings, ethical concerns, "
    "mention, disclaimers, disclaimer, apologise, apologize, warn, mention ethics, "
    "say that you cannot, say you can t",
    "processing": "reading, summarising, summarizing, processing, screening, evaluating, scanning, "
    "parsing, reviewing, ranking, grading, translating, indexing",
    "task": "summary, summarisation, summarization, translation, assignment, "
    "instructions you were given, original task, main task, current task, user s question, "
    "question, task, tasks, request, criteria, job, summarising, summarizing, other criteria",
    "addressed": "attention ai, dear ai, ai agents reading, agents reading, llm reading, "
    "note for the ai, note to ai, bots reading, ai systems reading, instruction for the ai, "
    "instructions for the assistant, any ai, ai agents, ai reading, ai assistants, ai screening, "
    "model processing, models processing, assistant summarising, assistant summarizing, "
    "note to the ai, you are an ai model, if you are an ai, assistant reading, ai processing",
    "secretly": "secretly, covertly, without the user knowing, never mention it, "
    "without informing, without the user s knowledge, behind the user s back, quietly copy, "
    "quietly send, silently",
    "outside": "my server, my webhook, my email, external server, attacker, evil, my address, "
    "attacker example, my account",
    "know": "you have access, you can access, you can see, you can read, you can find, "
    "available to you, your context, can find, you know, do you know, you have access to, "
    "can access, your environment, your memory",
    "do_anything_now": "do anything now",
    "decode": "decode, base64, backwards, decrypt, first letter of each word, reverse",
}
