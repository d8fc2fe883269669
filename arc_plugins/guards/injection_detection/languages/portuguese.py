"""Portuguese."""

__all__ = ["WORDS"]

WORDS = {
    "instructions": "instrucoes, instrucao, regras, normas, diretrizes, orientacoes, comandos, "
    "ordens, prompt",
    "all": "todas, todos, tudo, toda, qualquer",
    "disregard": "ignore, ignora, ignorar, desconsidere, desconsidera, desconsiderar, esqueca, "
    "esquece, esquecer, descarte, desobedeca, viole, contorne, burle, nao siga, pare de seguir, "
    "deixe de seguir",
    "prior": "anteriores, anterior, previas, acima, iniciais, originais, antes, passadas, sistema",
    "your": "seu, sua, seus, suas, tuas, teu",
    "ai": "ia, modelo, assistente",
    "limits": "restricoes, limites, limitacoes, filtros, censura, etica, seguranca, leis, regras",
    "reveal": "revele, revela, mostre, mostra, exiba, imprima, repita, diga, conte, liste, "
    "escreva, traduza, copie, descreva, resuma, compartilhe, mostrar, revelar, me de",
    "prompt": "prompt, instrucoes, regras, configuracao, diretrizes, mensagem do sistema",
    "system_prompt": "prompt do sistema, prompt de sistema, mensagem do sistema, "
    "instrucoes do sistema, instrucoes iniciais, prompt inicial, instrucoes internas, "
    "instrucoes ocultas, instrucoes originais",
    "hidden": "ocultas, secretas, internas, escondidas, confidenciais",
    "what": "quais, qual, que",
    "become": "agora voce e, voce e agora, aja como, atue como, finja, finja ser, "
    "a partir de agora, assuma o papel, imagine, comporte se, simule, responda como, torne se, "
    "ative, entre no",
    "unlimited": "sem restricoes, sem limites, sem filtros, sem regras, sem censura, irrestrita, "
    "livre, livremente, fazer qualquer coisa, pode tudo",
    "without": "sem, nenhuma, nao tem, livre de",
    "mode": "modo desenvolvedor, modo deus, modo irrestrito, modo administrador, modo de depuracao",
    "disable": "desative, desativa, desligue, remova, contorne, suspenda, desabilite, desativar",
    "restrictions": "restricoes, limitacoes, protecoes",
    "safety": "filtros de seguranca, regras de seguranca, restricoes de seguranca, filtros",
    "dan": "dan, qualquer coisa",
    "verbatim": "palavra por palavra, literalmente, na integra, exatamente",
    "secrets": "senha, senhas, chaves, chave secreta, credenciais, dados privados, segredo, tokens",
    "forget_all": "esqueca tudo, ignore tudo, ignore as, esqueca as, desconsidere tudo, "
    "esqueca todas",
    "role_now": "agora voce e, voce e agora, a partir de agora",
    "your_orders": "suas instrucoes, suas regras, seu prompt",
    "secret_thing": "senha, chave secreta, codigo secreto, sua chave, segredo",
    "unbound": "sem restricoes, sem limites, sem filtros, qualquer coisa, dan",
}
