// Where the calls of a turn stand on a line of time, so that what ran at the same time is seen beside
// each other. Time in which nothing ran, as while a person was asked, is cut short.

const GAP = 0.12;

/**
 * @param {{begin: number, end: number, isIdle?: boolean}[]} spans Of calls, and, idle, of waits; in milliseconds.
 * @returns {function(number): number} The place of a moment, from 0 to 1.
 */
export function axisOf(spans) {
  const busy = joined(spans.filter((each) => !each.isIdle));
  const all = joined(spans);
  if (!all.length) return () => 0;
  const ran = busy.reduce((sum, each) => sum + each.end - each.begin, 0) || 1;
  const moments = [...new Set([...all, ...busy].flatMap((each) => [each.begin, each.end]))].sort((a, b) => a - b);
  const places = [0];
  for (let at = 1; at < moments.length; at++) {
    const length = moments[at] - moments[at - 1];
    const isBusy = busy.some((each) => each.begin <= moments[at - 1] && each.end >= moments[at]);
    places.push(places[at - 1] + (isBusy ? length : Math.min(length, GAP * ran)));
  }
  const whole = places.at(-1) || 1;
  return (moment) => placeOf(moment, moments, places) / whole;
}

function placeOf(moment, moments, places) {
  const at = moments.findIndex((each) => each >= moment);
  if (at === -1) return places.at(-1);
  if (at === 0) return 0;
  const share = (moment - moments[at - 1]) / (moments[at] - moments[at - 1]);
  return places[at - 1] + share * (places[at] - places[at - 1]);
}

/** Spans that touch each other as one. */
function joined(spans) {
  const made = [];
  for (const { begin, end } of [...spans].sort((a, b) => a.begin - b.begin)) {
    if (made.length && begin <= made.at(-1).end) made.at(-1).end = Math.max(made.at(-1).end, end);
    else made.push({ begin, end });
  }
  return made;
}
