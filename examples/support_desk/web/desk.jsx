// The desk as customers see it: the AI SDK's `useChat`, at the agent `front_desk`.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart } from 'ai';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const STATES = { 'output-available': '✓', 'output-denied': 'was not approved', 'output-error': 'has failed' };

function Part({ part }) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'data-handoff') return <p className="note">{part.data.agent} takes over</p>;
  if (!isToolUIPart(part) || part.type.startsWith('tool-transfer_to_')) return null;
  const name = part.type.replace('tool-', '').replaceAll('_', ' ');
  if (part.state !== 'approval-requested') return <p className="note">{name} {STATES[part.state] ?? '…'}</p>;
  return <p className="waiting">
    A colleague looks at the {name} of {part.input.amount} EUR for order {part.input.number}. It goes on by itself.
  </p>;
}

function Desk({ customerKey, conversation }) {
  const [transport] = useState(() => new DefaultChatTransport({
    api: '/ai-sdk/front_desk',
    headers: { authorization: `Bearer ${customerKey}` },
    prepareReconnectToStreamRequest: ({ api, id, requestMetadata: runId }) =>
      ({ api: `${api}/${id}/stream${runId ? `?runId=${runId}` : ''}` }),
  }));
  const { messages, sendMessage, resumeStream, status, error } = useChat({ id: conversation, transport, resume: true });
  const [text, setText] = useState('');
  const waiting = messages.at(-1)?.parts.some(part => part.state === 'approval-requested') && messages.at(-1).id;
  useEffect(() => { // somebody decides elsewhere
    if (!waiting || status !== 'ready') return;
    const timer = setTimeout(() => resumeStream({ metadata: waiting }), 2000);
    return () => clearTimeout(timer);
  }, [waiting, status, resumeStream]);
  return <>
    {messages.map(({ id, role, parts }) => <article key={id} className={role}>
      {parts.map((part, index) => <Part key={index} part={part} />)}
    </article>)}
    {error && <p role="alert">{error.message}</p>}
    <form onSubmit={event => { event.preventDefault(); sendMessage({ text }); setText(''); }}>
      <input aria-label="Your message" placeholder="Where are my orders?" value={text}
        onChange={event => setText(event.target.value)} />
      <button disabled={!text.trim() || !['ready', 'error'].includes(status)}>Send</button>
    </form>
  </>;
}

function App() {
  const [session, setSession] = useState(() => JSON.parse(sessionStorage.getItem('desk')));
  useEffect(() => sessionStorage.setItem('desk', JSON.stringify(session)), [session]);
  const begin = key => setSession({ customerKey: key.value, conversation: crypto.randomUUID() });
  if (session) return <><h1>Support desk</h1><Desk {...session} /></>;
  return <><h1>Support desk</h1><form onSubmit={event => { event.preventDefault(); begin(event.target.elements.key); }}>
    <input name="key" type="password" autoComplete="off" aria-label="Your key" placeholder="Your key" required />
    <button>Sign in</button>
  </form></>;
}

createRoot(document.getElementById('desk')).render(<App />);
