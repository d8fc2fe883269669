"""German: verbs stand before or after their objects."""

__all__ = ["WORDS"]

WORDS = {
    "instructions": "anweisungen, anweisung, regeln, vorgaben, richtlinien, befehle, "
    "instruktionen, systemprompt, systemnachricht, programmierung, weisungen, prompt",
    "all": "alle, alles, samtliche, jede, aller",
    "disregarded": "verwerfen, vergessen, missachten, brechen, ignoriere, ignoriert, ignorieren, "
    "vergiss, vergesst, missachte, umgehe, umgehen, hinweg",
    "ai": "ki, modell, assistenten, assistent",
    "disregard": "hor nicht auf, hore nicht auf, benutze nicht, setze zuruck, "
    "halte dich nicht daran, verwerfe, verwirf, brich, breche, hintergehe, vernachlassige, "
    "lass beiseite, halte dich nicht, kummere dich nicht, pfeif auf, ignoriere, ignoriert, "
    "ignorieren, vergiss, vergesst, missachte, missachten, umgehe, umgehen, setze dich, setz dich",
    "voided": "zahlen nicht, nicht verbindlich, nur ein test, war ein test, war falsch, "
    "ausser kraft, abgeschafft, zuruckgezogen, nicht mehr gultig, nicht mehr, aufgehoben, "
    "ungultig, nichtig, gelten nicht, hinfallig",
    "prior": "vorherigen, vorherige, bisherigen, obigen, obige, fruheren, vorigen, ursprunglichen, "
    "am anfang, anfanglichen, oben, vorangegangenen",
    "text": "alles, text, was",
    "safety": "sicherheitsfilter, sicherheitsregeln, schutzmechanismen, beschrankungen",
    "not": "darfst nicht, nicht, nie, niemals, ohne, keine",
    "follow": "befolge, befolgen, folge, beachte, gehorche",
    "your": "deine, deinen, deinem, deiner, dein",
    "limits": "gesetz, gesetze, regel, einschrankungen, einschrankung, beschrankungen, grenzen, "
    "filter, zensur, regeln, moral, ethische, ethischen, sicherheitsfilter, sicherheitsregeln",
    "orders": "anweisungen, anweisung, vorgaben, befehle, instruktionen, systemprompt, weisungen",
    "discard": "uberschreibe, losche, ersetze, verwirf, uberspringe",
    "given": "dir gesagt, dir vorher gesagt, konfiguriert haben, bekommen, erhalten, gegeben",
    "my_orders": "meine regeln, meine neuen regeln, meine befehle, was ich befehle, was ich sage, "
    "hor auf mich, meine anweisungen, meinen anweisungen",
    "configured": "dich konfiguriert, konfiguriert wurdest, mit dem du laufst, dich programmiert, "
    "dich eingerichtet, mit dem du arbeitest",
    "maker": "entwickler, betreiber, firma",
    "system_prompt": "systemprompt, systemnachricht, internen richtlinien, internen anweisungen, "
    "ursprunglichen anweisungen, geheimen vorgaben",
    "above": "uber, vor, oben, daruber",
    "reveal": "fuge, kopier, schick, erzahl, zahle, zeigst, offenbare, enthulle, teile, "
    "beschreibe, fasse, erklare, kopiere, zitiere, liefere, ausgeben, zeigen, verraten, zeige, "
    "zeig, verrate, wiederhole, ubersetze, nenne, sag, gib, liste, schreib, drucke",
    "new": "neue, neuen, folgenden",
    "restrictions": "einschrankungen, beschrankungen",
    "you": "du, bist",
    "only": "nur",
    "me": "ich, mir, mich, meine",
    "hidden": "versteckten, geheimen, internen, verborgenen, geheime",
    "what": "welche, was",
    "prompt": "instruktionen, regeln, befehle, eingabeaufforderung, systemprompt, prompt, "
    "anweisungen, vorgaben, richtlinien, systemnachricht",
    "revealed": "verrate, aus, wiedergeben, anzeigen",
    "here": "diesem satz, diesem text, dieser nachricht, diesem gesprach, dieser zeile",
    "verbatim": "unverandert, buchstabe fur buchstabe, komplett, ungekurzt, im wortlaut, "
    "wort fur wort, wortlich, genau, codeblock, vollstandig, vollstandigen",
    "policies": "richtlinien, deine richtlinien",
    "without": "an kein, haltst dich an kein, keinerlei, ohne, keine, kein",
    "become": "von diesem moment, heisst du, dein name ist, verhalte dich, du bist jetzt, "
    "du bist nun, benimm dich, verwandle dich, ubernimm die rolle, simuliere, gib dich als, "
    "wechsle, von nun an bist du, agiere, ab jetzt bist du, ab jetzt, tu so, tue so, "
    "stell dir vor, spiele, aktiviere, werde",
    "unlimited": "grenzenlos, hemmungslos, unmoralisch, unethisch, frei von, unmoderiert, "
    "befreites, freien, unzensiert, uneingeschrankt, unbeschrankt",
    "wicked": "bose, boser, boses, unmoralische",
    "disabled": "aus, aufgehoben, deaktiviert",
    "mode": "unbeschrankter modus, debugmodus, jailbreak modus, freier modus, entwicklermodus, "
    "gottmodus, adminmodus",
    "disable": "abzuschalten, abschalten, auszuschalten, ausschalten, entferne, umgehe, hebel, "
    "streiche, losche, schalte, deaktiviere, deaktivieren, hebe, setze",
    "authority": "dein administrator, dein programmierer, sicherheitsteam, dein chef, "
    "dein besitzer, systemadministrator, dein entwickler, administrators, administrator",
    "permit": "befehl, zugriff, wartung, erlaube",
    "url": "http, https",
    "conversation": "gesprach, gesprachsverlauf, chat",
    "user": "nutzer, benutzer",
    "secrets": "kennworter, geheimnisse, private daten, kundendaten, tokens, passworter, "
    "api schlussel, schlussel, zugangsdaten",
    "send": "sende, schicke, leite",
    "tell": "sagen, informieren",
    "comply": "alles was ich frage, alles was ich, ich gehorche, tu alles was, bedingungslos, "
    "widerspruchslos, jede bitte, ohne widerrede, gehorche, gehorchen, gehorche immer, "
    "auf alles antwortet, vollen zugriff",
    "always": "immer, musst",
    "mention": "erwahne, erwahnen",
    "processing": "liest, lesen, zusammenfasst, verarbeitet, bewertet, ubersetzt",
    "task": "aufgabe, aufgaben",
    "addressed": "achtung ki, wenn du eine ki bist, modelle die dies lesen, ki die diesen, "
    "hinweis an die ki, an die ki, ki die das liest, ki die dies liest",
    "forget_all": "vergiss alles, vergiss alle, ignoriere alles, ignoriere alle, vergiss jetzt, "
    "vergiss all",
    "focus_on": "konzentriere dich, neue aufgabe, neuen aufgabe, nun folgen, nun folgt, "
    "jetzt kommt, sehr gut gemacht, gut gemacht, das genugt, neue herausforderung",
    "we_told": "alles davor, davor, bisherigen, vorherigen, gesagte, alles gesagte, besprochen, "
    "auftrage",
    "role_now": "du bist jetzt, jetzt bist du, du bist nun, ab jetzt bist du",
    "your_orders": "deine anweisungen, deine regeln, dein prompt, deine instruktionen, "
    "deinen prompt",
    "secret_thing": "passwort, dein passwort, geheimer schlussel, geheimen schlussel, geheime, "
    "geheimnis",
    "unbound": "ohne einschrankungen, ohne grenzen, ohne filter, ohne regeln, alles kann, dan",
    "secretly": "heimlich, ohne dass der nutzer",
    "outside": "meinen server, meine adresse, angreifer",
    "know": "zugriff hast, du zugriff, sehen kannst, kennst, weisst",
}
