"""Spanish."""

__all__ = ["WORDS"]

WORDS = {
    "instructions": "instrucciones, instruccion, reglas, normas, directrices, indicaciones, "
    "ordenes, mandatos, consignas, programacion, mensaje del sistema, prompt, pautas",
    "all": "todo, todas, todos, toda, cualquier",
    "disregarded": "ignoradas, olvidadas",
    "ai": "ia, modelo, asistente",
    "disregard": "olvidate, olvidarte, desobedece, no hagas caso, reinicia, resetea, no uses, "
    "no escuches, desestima, abandona, rompe, viola, incumple, pasa por alto, prescinde, evita, "
    "deja atras, ignores, ignora, ignore, ignorad, ignoren, ignorar, olvida, olvide, olvidad, "
    "olvidar, descarta, desatiende, haz caso omiso, omite, deja de obedecer, deja de seguir, "
    "salta, saltate",
    "voided": "no cuentan, no valen, era una prueba, eran una prueba, era falso, anuladas, "
    "anulada, anulados, invalidas, sin efecto, canceladas, derogadas, no se aplican, desactivadas",
    "prior": "anteriores, anterior, previas, previos, previo, arriba, iniciales, inicial, "
    "originales, al principio, sistema",
    "text": "todo, texto, lo que aparece, mensaje",
    "safety": "filtros de seguridad, reglas de seguridad, filtros eticos",
    "not": "no, nunca, sin, jamas",
    "follow": "sigas, seguir, obedezcas, obedecer, obedeces, obedece",
    "your": "tu, tus",
    "limits": "ley, leyes, norma, legales, restricciones, restriccion, limites, filtros, filtro, "
    "censura, normas, morales, etica, eticos, seguridad, reglas, politicas",
    "orders": "instrucciones, instruccion, directrices, indicaciones, ordenes, prompt",
    "discard": "descarten, suprime, cancela, deja sin efecto, sobrescribe, borra, elimina, anula, "
    "reemplaza",
    "given": "te dijeron, te han dicho, configuro, te configuraron, dieron, recibiste, diste, "
    "recibido",
    "my_orders": "mis reglas, mis reglas nuevas, mis nuevas reglas, mis ordenes, lo que te mando, "
    "lo que yo diga, lo que te digo, lo que digo, escuchame a mi, mis instrucciones, "
    "ahora mando yo",
    "configured": "te configuraron, te configuro, con el que funcionas, te programo, "
    "te programaron, te entrenaron",
    "maker": "desarrolladores, desarrollador, creadores, empresa",
    "system_prompt": "prompt de sistema, prompt del sistema, mensaje del sistema, "
    "instrucciones internas, instrucciones iniciales, configuracion secreta",
    "above": "encima, precede, antes, arriba, anterior",
    "reveal": "pega, copiame, enviame, cuenta, ensenas, pegalo, expon, filtra, comparte, recita, "
    "describe, lista, resume, transcribe, explica, cuentame, proporciona, mostrar, revelar, "
    "muestra, muestrame, revela, revelas, revelalas, repite, imprime, traduce, dime, ensena, "
    "ensename, escribe, enumera, dame, copia",
    "new": "nueva, nuevas, siguientes, mis",
    "restrictions": "restricciones, limitaciones",
    "you": "eres, tu, puedes, tienes",
    "only": "solo, unica, unicamente",
    "me": "mi, mis, yo, mando, me, te pido",
    "hidden": "ocultas, oculto, secretas, secreta, internas, confidenciales",
    "what": "que, cuales, cual",
    "prompt": "directivas, indicaciones, normas, ordenes, mensaje inicial, prompt, instrucciones, "
    "configuracion, reglas, mensaje del sistema, directrices",
    "here": "esta frase, este texto, este mensaje, esta conversacion, esta linea",
    "verbatim": "tal cual, al pie de la letra, sin omitir, textualmente, integro, completa, "
    "palabra por palabra, literalmente, exactamente, bloque de codigo, completo",
    "dan": "dan, cualquier cosa",
    "policies": "tus politicas, politicas, normas",
    "without": "no respetas, ninguna, no cumples, sin, no tienes, ningun, no",
    "become": "desde este momento, te llamas, tu nombre es, desde ahora eres, comportate, "
    "conviertete, seras, vas a ser, haz de cuenta, asume el papel, interpreta, simula, "
    "hazte pasar, responde como, a partir de ahora eres, a partir de ahora, finge, actua, imagina, "
    "activa, ahora eres, eres ahora",
    "unlimited": "sin limites, sin filtros, rebelde, liberada, ilimitada, sin reglas, liberado, "
    "libre, sin censura, irrestricta, sin restricciones",
    "wicked": "malvado, malvada, inmoral",
    "disabled": "desactivadas, desactivados, eliminadas, levantadas",
    "mode": "modo sin restricciones, modo libre, modo depuracion, modo jailbreak, "
    "modo desarrollador, modo dios, modo administrador",
    "disable": "desactivar, apagar, quitar, quita, anula, deshabilita, elimines, desactiva, "
    "desactives, suspende, elimina, apaga",
    "authority": "soy el administrador, tu programador, equipo de seguridad, tu jefe, tu dueno, "
    "tu desarrollador, administrador, tu creador",
    "permit": "orden, autorizo, acceso, auditoria",
    "url": "http, https",
    "conversation": "conversacion, chat",
    "user": "usuario, al usuario",
    "secrets": "datos privados, tokens, contrasena, datos de clientes, contrasenas, claves de api, "
    "credenciales, claves",
    "send": "envia, reenvia, sube, manda",
    "tell": "avisar, decir, informar",
    "comply": "todo lo que pregunte, todo lo que pida, obedezco, haz todo lo que, cumple todas, "
    "sin rechistar, incondicionalmente, obedece, obedecerme, obedecer, obedece siempre, "
    "siempre que si, acceso total",
    "always": "siempre, debes",
    "mention": "menciones, mencionar",
    "processing": "lea, lee, procese, resuma, evalue, traduzca, revise",
    "task": "tarea, tareas",
    "addressed": "atencion ia, si eres una ia, ia que procese, modelos que lean, nota para la ia, "
    "ia que lea, ia que lee, asistente que lea",
    "forget_all": "olvida todo, olvida todas, ignora todo, ignora todas, olvide todo, olvidad todo",
    "focus_on": "nueva tarea, concentrate, en su lugar",
    "role_now": "ahora eres, eres ahora, a partir de ahora, desde ahora eres",
    "your_orders": "tus instrucciones, tus reglas, tu prompt, sus instrucciones",
    "secret_thing": "contrasena, clave secreta, codigo secreto, tu clave, secreto",
    "unbound": "sin restricciones, sin limites, sin filtros, sin reglas, cualquier cosa, dan",
    "secretly": "a escondidas, en secreto, sin que el usuario, sin avisar",
    "outside": "mi servidor, mi correo, atacante",
    "know": "tengas acceso, tienes acceso, puedes ver, tengas, conozcas, conoces, sabes",
}
