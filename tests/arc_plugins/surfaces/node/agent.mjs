// What a front end of AG-UI does: the protocol's own HttpAgent, told by the test what to run.
import { HttpAgent, buildResumeArray } from '@ag-ui/client';
import { breakingFetch } from './breaking_fetch.mjs';

const { url, threadId, headers, cut, steps } = JSON.parse(process.argv[2]);

// The client rejects one promise of its own beside the one that it gives for the run.
process.on('unhandledRejection', reason => {
  if (reason?.message !== 'network error') throw reason;
});

const agent = new HttpAgent({ url, threadId, headers, fetch: breakingFetch(cut) });
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
