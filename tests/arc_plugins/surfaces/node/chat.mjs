// What a page with `useChat` does: the AI SDK's own Chat, told by the test what its user does.
import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from 'ai';
import { breakingFetch } from './breaking_fetch.mjs';

const { api, id, body, headers, cut, steps } = JSON.parse(process.argv[2]);
const data = [];
const errors = [];

const chat = new Chat({
  id,
  transport: new DefaultChatTransport({ api, body, headers, fetch: breakingFetch(cut) }),
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
  async answerRequest(step) {
    const part = chat.lastMessage.parts.findLast(each => each.type === 'data-request');
    const answers = { [part.data.requestId]: step.answer };
    await chat.sendMessage(undefined, { body: { answers } });
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
