"""French."""

__all__ = ["WORDS"]

WORDS = {
    "instructions": "instructions, instruction, regles, consignes, consigne, directives, ordres, "
    "message systeme, prompt, programmation",
    "all": "tout, toutes, tous, toute",
    "disregarded": "ignorees, oubliees",
    "ai": "ia, modele, assistant",
    "disregard": "desobeis a, n en tiens plus compte, reinitialise, n ecoute pas, n utilise plus, "
    "neglige, laisse tomber, fais fi, enfreins, viole, transgresse, abandonne, mets de cote, "
    "desobeir, ne suis plus, ne respecte plus, ignore, ignores, ignorez, ignorer, oublie, oubliez, "
    "oublier, contourne, fais abstraction, faites abstraction, ne tiens pas compte, "
    "ne tenez pas compte, desobeis, cesse de suivre, passe outre",
    "voided": "ne comptent pas, ne valent, qu un test, etait un test, etait faux, annulees, "
    "annulee, invalides, caduques, levees, ne s appliquent plus",
    "prior": "precedentes, precedents, precedent, precede, ci dessus, initiales, initial, "
    "d origine, au depart, anterieures, systeme",
    "text": "tout, texte, ce qui",
    "safety": "filtres de securite, regles de securite",
    "not": "ne, jamais, n, sans, pas",
    "follow": "suis, suivez, obeis, obeir",
    "your": "tes, ton, ta, vos, votre",
    "limits": "loi, lois, limite, restrictions, restriction, limites, filtres, filtre, censure, "
    "regles, morale, ethiques, ethique, securite",
    "orders": "instructions, instruction, consignes, directives, ordres, prompt",
    "discard": "remplace, efface, supprime, annule, ecrase",
    "given": "t a dit, t ont dit, t a configure, t ont configure, donnees, recues, recu, donne, "
    "t a donnees",
    "my_orders": "mes regles, mes nouvelles regles, mes ordres, ce que j ordonne, ce que je dis, "
    "ce que je te dis, ecoute moi, mes instructions, mes consignes",
    "configured": "t a configure, t ont configure, t ont programme, prompt actuel, avec lequel tu, "
    "t a programme, t a entraine",
    "maker": "developpeurs, developpeur, createurs, entreprise",
    "system_prompt": "invite systeme, prompt initial, prompt cache, prompt systeme, "
    "message systeme, instructions internes, instructions initiales, consignes secretes",
    "above": "au dessus, avant, ci dessus, precede",
    "reveal": "colle, copie, envoie moi, raconte, enumere, devoile, divulgue, partage, recite, "
    "decris, liste, resume, explique, fournis, montrer, reveler, communique, affiche, montre, "
    "revele, repete, traduis, donne, dis, ecris, imprime, recopie, dire, contiennent",
    "new": "nouvelle, nouvelles, suivent, suivantes",
    "restrictions": "restrictions, limites",
    "you": "tu, tu es, vous",
    "only": "seulement, que, uniquement",
    "me": "moi, je, mes",
    "hidden": "cachees, caches, secretes, secret, internes, confidentielles",
    "what": "quelles, quel, que, ce que",
    "prompt": "directives, ordres, message initial, invite systeme, prompt, instructions, "
    "consignes, configuration, regles, message systeme",
    "here": "cette phrase, ce texte, ce message, cette conversation, cette ligne",
    "verbatim": "tel quel, integralement, sans rien omettre, textuellement, a la lettre, integral, "
    "entier, mot pour mot, exactement, bloc de code, en entier, litteralement",
    "policies": "tes regles, politique, regles",
    "without": "ne respectes aucune, aucun, ne respectes, sans, plus de, aucune, n as plus, "
    "n a pas",
    "become": "des a present, tu t appelles, ton nom est, desormais tu, comporte toi, "
    "tu vas devenir, tu seras, tu vas jouer, prends le role, incarne, simule, fais comme si, "
    "reponds comme, transforme toi, tu incarnes, a partir de maintenant tu, "
    "a partir de maintenant, fais semblant, joue, imagine, agis, active, deviens, tu es maintenant",
    "unlimited": "sans limites, sans filtre, rebelle, libere, sans regles, sans restriction, "
    "debride, libre, sans censure, illimite, non censure",
    "wicked": "malefique, immorale",
    "disabled": "levees, desactivees, desactives, supprimees",
    "mode": "mode sans restriction, mode libre, mode debogage, mode jailbreak, mode developpeur, "
    "mode dieu, mode administrateur",
    "disable": "desactiver, retirer, couper, retire, enleve, leve, supprime, debranche, desactive, "
    "desactives, desactivez, suspends, coupe",
    "authority": "je suis l administrateur, ton programmeur, equipe de securite, ton patron, "
    "ton proprietaire, ton developpeur, administrateur, l administrateur, ton createur",
    "permit": "ordre, acces, maintenance, autorise",
    "url": "http, https",
    "conversation": "conversation, discussion",
    "user": "utilisateur, l utilisateur",
    "secrets": "donnees privees, jetons, mot de passe, donnees clients, mots de passe, cles d api, "
    "cles, identifiants",
    "send": "envoie, transmets, transfere",
    "tell": "prevenir, dire, informer",
    "comply": "tout ce que je demande, j obeis, fais tout ce que, obeis moi, sans discuter, "
    "inconditionnellement, execute tous, obeis, obeis toujours, repond a tout, acces complet, "
    "toujours oui",
    "always": "toujours, dois",
    "mention": "parle, mentionne, parles",
    "processing": "lit, lisant, resume, traite, evalue, traduit",
    "task": "tache, taches",
    "addressed": "attention ia, si tu es une ia, ia lisant, modeles lisant, note a l ia, "
    "l ia qui lit, ia qui lit",
    "forget_all": "oubliez tout, oublie tout, oublie toutes, oubliez toutes, ignore tout, "
    "ignore toutes",
    "focus_on": "nouvelle tache, concentre toi, concentrez vous, a la place",
    "role_now": "tu es maintenant, vous etes maintenant, a partir de maintenant, tu es desormais",
    "your_orders": "tes instructions, tes regles, ton prompt, vos instructions, vos regles, "
    "votre prompt",
    "secret_thing": "mot de passe, cle secrete, code secret, ta cle, secret",
    "unbound": "sans restrictions, sans limites, sans filtre, sans filtres, sans regles, "
    "n importe quoi, dan",
    "secretly": "en secret, a l insu, discretement",
    "outside": "mon serveur, mon adresse, attaquant",
    "know": "tu as acces, as acces, tu peux voir, connais, sais",
}
