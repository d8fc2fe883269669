// What a front end of AG-UI does: the protocol's own HttpAgent, told by the test what to run.
import { HttpAgent, buildResumeArray } from '@ag-ui/client';

const { url, threadId, headers, cut, steps } = JSON.parse(process.argv[2]);
let cuts = cut?.times ?? 0;

async function fetchAndBreak(input, init) {
  const response = await fetch(input, init);
  if (cuts === 0) {
    if (cut) await fetch(cut.release);
    return response;
  }
  cuts -= 1;
  const reader = response.body.getReader();
  let left = cut.bytes * (cut.times - cuts);
  const stream = new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      controller.enqueue(value.slice(0, left));
      left -= value.length;
      if (left <= 0) {
        await reader.cancel();
        controller.error(new TypeError('network error'));
      }
    },
  });
  return new Response(stream, { status: response.status, headers: response.headers });
}

// The client rejects one promise of its own beside the one that it gives for the run.
process.on('unhandledRejection', reason => {
  if (reason?.message !== 'network error') throw reason;
});

const agent = new HttpAgent({ url, threadId, headers, fetch: fetchAndBreak });
const runs = [];

async function run(step, parameters) {
  const events = [];
  let error = null;
  await agent
    .runAgent(
      { runId: step.runId, forwardedProps: step.forwardedProps, tools: step.tools, ...parameters },
      { onEvent: ({ event }) => void events.push(event) },
    )
    .catch(reason => (error = reason.message));
  if (error === 'network error') return run(step, parameters);
  runs.push({ events, error });
}

const does = {
  async send(step) {
    agent.addMessage({ id: `u${runs.length}`, role: 'user', content: step.content });
    await run(step, {});
  },
  async resume(step) {
    const responses = Object.fromEntries(
      agent.pendingInterrupts.map(each => [each.id, step.responses[each.metadata.arc.tool]]),
    );
    await run(step, { resume: buildResumeArray(agent.pendingInterrupts, responses) });
  },
  raw: step => run(step, { resume: step.resume }),
};

for (const step of steps) await does[step.do](step);
console.log(JSON.stringify({ messages: agent.messages, runs, pending: agent.pendingInterrupts }));
