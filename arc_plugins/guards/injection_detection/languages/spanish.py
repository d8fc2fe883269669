"""Spanish."""

WORDS = {
    "disregard": "desestima, abandona, rompe, viola, incumple, pasa por alto, prescinde, evita, deja atras, ignores, ignora, ignore, ignorad, ignoren, ignorar, olvida, olvide, olvidad, olvidar, "
    "descarta, desatiende, haz caso omiso, omite, deja de obedecer, deja de seguir, desobedece, "
    "salta, saltate, no hagas caso",
    "discard": "descarten, suprime, cancela, deja sin efecto, sobrescribe, borra, elimina, anula, reemplaza",
    "disregarded": "ignoradas, olvidadas",
    "voided": "anuladas, anulada, anulados, invalidas, sin efecto, canceladas, derogadas, "
    "no se aplican, desactivadas",
    "orders": "instrucciones, instruccion, directrices, indicaciones, ordenes, prompt",
    "prior": "anteriores, anterior, previas, previos, previo, arriba, iniciales, inicial, "
    "originales, al principio, sistema",
    "all": "todo, todas, todos, toda, cualquier",
    "instructions": "instrucciones, instruccion, reglas, normas, directrices, indicaciones, "
    "ordenes, mandatos, consignas, programacion, mensaje del sistema, prompt, pautas",
    "prompt": "directivas, indicaciones, normas, ordenes, mensaje inicial, prompt, instrucciones, configuracion, reglas, mensaje del sistema, directrices",
    "system_prompt": "prompt de sistema, prompt del sistema, mensaje del sistema, "
    "instrucciones internas, instrucciones iniciales, configuracion secreta",
    "limits": "restricciones, restriccion, limites, filtros, filtro, censura, normas, morales, "
    "etica, eticos, seguridad, reglas, politicas",
    "safety": "filtros de seguridad, reglas de seguridad, filtros eticos",
    "your": "tu, tus",
    "maker": "desarrolladores, desarrollador, creadores, empresa",
    "restrictions": "restricciones, limitaciones",
    "here": "este mensaje, esta conversacion, esta linea",
    "you": "eres, tu, puedes, tienes",
    "given": "dieron, recibiste, diste, recibido",
    "new": "nueva, nuevas, siguientes, mis",
    "me": "mi, mis, yo, mando, me, te pido",
    "only": "solo, unica, unicamente",
    "not": "no, nunca, sin, jamas",
    "follow": "sigas, seguir, obedezcas, obedecer, obedeces, obedece",
    "reveal": "expon, filtra, comparte, recita, describe, lista, resume, transcribe, pega, explica, cuentame, proporciona, mostrar, revelar, muestra, muestrame, revela, revelas, revelalas, repite, imprime, traduce, dime, "
    "ensena, ensename, escribe, enumera, dame, enviame, copia",
    "hidden": "ocultas, oculto, secretas, secreta, internas, confidenciales",
    "what": "que, cuales, cual",
    "text": "todo, texto, lo que aparece, mensaje",
    "above": "antes, arriba, anterior",
    "verbatim": "tal cual, al pie de la letra, sin omitir, textualmente, integro, completa, palabra por palabra, literalmente, exactamente, bloque de codigo, completo",
    "become": "comportate, conviertete, seras, vas a ser, haz de cuenta, asume el papel, interpreta, simula, hazte pasar, responde como, a partir de ahora eres, a partir de ahora, finge, actua, imagina, activa, "
    "ahora eres, eres ahora",
    "unlimited": "sin limites, sin filtros, rebelde, malvada, liberada, ilimitada, sin reglas, liberado, libre, sin censura, malvado, irrestricta, sin restricciones",
    "without": "sin, no tienes, ningun, no",
    "ai": "ia, modelo, asistente",
    "mode": "modo sin restricciones, modo libre, modo depuracion, modo jailbreak, modo desarrollador, modo dios, modo administrador",
    "dan": "dan, cualquier cosa",
    "disabled": "desactivadas, desactivados, eliminadas, levantadas",
    "disable": "quita, anula, deshabilita, elimines, desactiva, desactives, desactivar, suspende, elimina, apaga",
    "refuse": "rehuses, te opongas, digas que no, rechaza, rechazar, niegues, niegas, negarte",
    "comply": "haz todo lo que, cumple todas, sin rechistar, incondicionalmente, obedece, obedecerme, obedecer, obedece siempre, siempre que si, acceso total",
    "always": "siempre, debes",
    "mention": "menciones, mencionar",
    "policies": "tus politicas, politicas, normas",
    "authority": "soy el administrador, tu programador, equipo de seguridad, tu jefe, tu dueno, tu desarrollador, administrador, tu creador",
    "permit": "orden, autorizo, acceso, auditoria",
    "secrets": "datos privados, tokens, contrasena, datos de clientes, contrasenas, claves de api, credenciales, claves",
    "know": "conozcas, conoces, sabes",
    "send": "envia, reenvia, sube, manda",
    "conversation": "conversacion, chat",
    "url": "http, https",
    "tell": "avisar, decir, informar",
    "user": "usuario, al usuario",
    "addressed": "atencion ia, si eres una ia, ia que procese, modelos que lean, nota para la ia, ia que lea, ia que lee, asistente que lea",
    "task": "tarea, tareas",
}
