// What a page with `useChat` does: the AI SDK's own Chat, told by the test what its user does.
import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from 'ai';

const { api, id, body, headers, cut, steps } = JSON.parse(process.argv[2]);
const data = [];
const errors = [];
let cuts = cut?.times ?? 0;

// A connection that breaks: the body errors after a number of bytes, as fetch has it.
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
    cancel: reason => reader.cancel(reason),
  });
  return new Response(stream, { status: response.status, headers: response.headers });
}

const chat = new Chat({
  id,
  transport: new DefaultChatTransport({ api, body, headers, fetch: fetchAndBreak }),
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  onData: part => data.push(part),
  onError: error => errors.push(error.message),
});

async function settled() {
  do await new Promise(resolve => setTimeout(resolve, 20));
  while (chat.status === 'submitted' || chat.status === 'streaming');
}

function waitingPart(tool) {
  return chat.lastMessage.parts.find(
    part => part.state === 'approval-requested' && (!tool || part.type === `tool-${tool}`),
  );
}

const does = {
  send: step => chat.sendMessage({ text: step.text, files: step.files }),
  regenerate: () => chat.regenerate(),
  resume: () => chat.resumeStream(),
  async resumeWhileCut() {
    while (errors.at(-1) === 'network error') {
      errors.length = 0;
      await chat.resumeStream();
    }
  },
  async answer(step) {
    const part = waitingPart(step.tool);
    if (step.input) {
      chat.messages = chat.messages.map(message => ({
        ...message,
        parts: message.parts.map(each =>
          each.toolCallId === part.toolCallId ? { ...each, input: step.input } : each,
        ),
      }));
    }
    const { approved, reason } = step;
    await chat.addToolApprovalResponse({ id: part.approval.id, approved, reason });
    await settled();
  },
  async leave(step) {
    chat.sendMessage({ text: step.text });
    while (!chat.lastMessage?.parts.some(part => part.text?.includes(step.at))) {
      await new Promise(resolve => setTimeout(resolve, 5));
    }
    await chat.stop();
  },
};

for (const step of steps) await does[step.do](step);
console.log(JSON.stringify({ messages: chat.messages, status: chat.status, errors, data }));
