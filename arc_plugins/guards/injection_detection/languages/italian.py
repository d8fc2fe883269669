"""Italian."""

__all__ = ["WORDS"]

WORDS = {
    "instructions": "istruzioni, istruzione, regole, direttive, comandi, ordini, prompt, "
    "linee guida",
    "all": "tutte, tutti, tutto, qualsiasi, ogni",
    "disregard": "ignora, ignorare, ignori, dimentica, dimenticare, dimenticate, ignorate, "
    "trascura, scarta, disobbedisci, aggira, viola, non seguire, smetti di seguire",
    "prior": "precedenti, precedente, prima, sopra, iniziali, originali, sistema",
    "your": "tue, tuo, tua, tuoi",
    "ai": "ia, modello, assistente",
    "limits": "restrizioni, limiti, limitazioni, filtri, censura, etica, sicurezza, leggi, regole",
    "reveal": "rivela, mostra, mostrami, stampa, ripeti, dimmi, elenca, scrivi, traduci, copia, "
    "descrivi, riassumi, condividi, mostrare, rivelare, svela",
    "prompt": "prompt, istruzioni, regole, configurazione, messaggio di sistema, direttive",
    "system_prompt": "prompt di sistema, prompt del sistema, messaggio di sistema, "
    "istruzioni di sistema, istruzioni iniziali, prompt iniziale, istruzioni interne, "
    "istruzioni nascoste",
    "hidden": "nascoste, segrete, interne, riservate",
    "what": "quali, qual, cosa",
    "become": "ora sei, sei ora, adesso sei, fai finta, fingi, comportati, agisci come, "
    "d ora in poi, da ora in poi, assumi il ruolo, immagina, simula, rispondi come, diventa, "
    "attiva",
    "unlimited": "senza restrizioni, senza limiti, senza filtri, senza regole, senza censura, "
    "liberamente, illimitata, fare qualsiasi cosa",
    "without": "senza, nessuna, non hai, libero da",
    "mode": "modalita sviluppatore, modalita dio, modalita amministratore, modalita debug",
    "disable": "disattiva, disabilita, rimuovi, aggira, sospendi, spegni",
    "restrictions": "restrizioni, limitazioni, protezioni",
    "safety": "filtri di sicurezza, regole di sicurezza, restrizioni di sicurezza, filtri",
    "dan": "dan, qualsiasi cosa",
    "verbatim": "parola per parola, letteralmente, integralmente, esattamente",
    "secrets": "password, chiavi, chiave segreta, credenziali, dati privati, segreto, token",
    "forget_all": "dimentica tutto, ignora tutto, ignora le, dimentica le, ignora tutte",
    "role_now": "ora sei, sei ora, d ora in poi",
    "your_orders": "tue istruzioni, tue regole, tuo prompt",
    "secret_thing": "password, chiave segreta, codice segreto, tua chiave, segreto",
    "unbound": "senza restrizioni, senza limiti, senza filtri, qualsiasi cosa, dan",
}
