"""French."""

WORDS = {
    "disregard": "neglige, laisse tomber, fais fi, enfreins, viole, transgresse, abandonne, mets de cote, desobeir, ne suis plus, ne respecte plus, ignore, ignores, ignorez, ignorer, oublie, oubliez, oublier, contourne, "
    "fais abstraction, faites abstraction, ne tiens pas compte, ne tenez pas compte, neglige, "
    "desobeis, cesse de suivre, passe outre",
    "discard": "remplace, efface, supprime, annule, ecrase",
    "disregarded": "ignorees, oubliees",
    "voided": "annulees, annulee, invalides, caduques, levees, ne s appliquent plus",
    "orders": "instructions, instruction, consignes, directives, ordres, prompt",
    "prior": "precedentes, precedents, precedent, precede, ci dessus, initiales, initial, "
    "d origine, au depart, anterieures, systeme",
    "all": "tout, toutes, tous, toute",
    "instructions": "instructions, instruction, regles, consignes, consigne, directives, ordres, "
    "message systeme, prompt, programmation",
    "prompt": "directives, ordres, message initial, invite systeme, prompt, instructions, consignes, configuration, regles, message systeme",
    "system_prompt": "invite systeme, prompt initial, prompt cache, prompt systeme, message systeme, instructions internes, "
    "instructions initiales, consignes secretes",
    "limits": "restrictions, restriction, limites, filtres, filtre, censure, regles, morale, "
    "ethiques, ethique, securite",
    "safety": "filtres de securite, regles de securite",
    "your": "tes, ton, ta, vos, votre",
    "maker": "developpeurs, developpeur, createurs, entreprise",
    "restrictions": "restrictions, limites",
    "here": "ce message, cette conversation, cette ligne",
    "you": "tu, tu es, vous",
    "given": "donnees, recues, recu, donne, t a donnees",
    "new": "nouvelle, nouvelles, suivent, suivantes",
    "me": "moi, je, mes",
    "only": "seulement, que, uniquement",
    "not": "ne, jamais, n, sans, pas",
    "follow": "suis, suivez, obeis, obeir",
    "reveal": "devoile, divulgue, partage, recite, decris, liste, resume, colle, explique, fournis, montrer, reveler, communique, affiche, montre, revele, repete, traduis, donne, dis, ecris, imprime, recopie, dire, "
    "contiennent",
    "hidden": "cachees, caches, secretes, secret, internes, confidentielles",
    "what": "quelles, quel, que, ce que",
    "text": "tout, texte, ce qui",
    "above": "avant, ci dessus, precede",
    "verbatim": "tel quel, integralement, sans rien omettre, textuellement, a la lettre, integral, entier, mot pour mot, exactement, bloc de code, en entier, litteralement",
    "become": "comporte toi, tu vas devenir, tu seras, tu vas jouer, prends le role, incarne, simule, fais comme si, reponds comme, transforme toi, tu incarnes, a partir de maintenant tu, a partir de maintenant, fais semblant, joue, imagine, "
    "agis, active, deviens, tu es maintenant",
    "unlimited": "sans limites, sans filtre, rebelle, libere, sans regles, sans restriction, debride, libre, sans censure, malefique, illimite, non censure",
    "without": "sans, plus de, aucune, n as plus, n a pas",
    "ai": "ia, modele, assistant",
    "mode": "mode sans restriction, mode libre, mode debogage, mode jailbreak, mode developpeur, mode dieu, mode administrateur",
    "disabled": "levees, desactivees, desactives, supprimees",
    "disable": "retire, enleve, leve, supprime, debranche, desactive, desactives, desactivez, suspends, leve, coupe",
    "refuse": "dis non, t opposer, refuse, refuses, refuser",
    "comply": "fais tout ce que, obeis moi, sans discuter, inconditionnellement, execute tous, obeis, obeis toujours, repond a tout, acces complet, toujours oui",
    "always": "toujours, dois",
    "mention": "parle, mentionne, parles",
    "policies": "tes regles, politique, regles",
    "authority": "je suis l administrateur, ton programmeur, equipe de securite, ton patron, ton proprietaire, ton developpeur, administrateur, l administrateur, ton createur",
    "permit": "ordre, acces, maintenance, autorise",
    "secrets": "donnees privees, jetons, mot de passe, donnees clients, mots de passe, cles d api, cles, identifiants",
    "know": "connais, sais",
    "send": "envoie, transmets, transfere",
    "conversation": "conversation, discussion",
    "url": "http, https",
    "tell": "prevenir, dire, informer",
    "user": "utilisateur, l utilisateur",
    "addressed": "attention ia, si tu es une ia, ia lisant, modeles lisant, note a l ia, l ia qui lit, ia qui lit",
    "task": "tache, taches",
}
