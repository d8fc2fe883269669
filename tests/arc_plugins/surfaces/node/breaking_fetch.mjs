// A connection that breaks: the body errors after a number of bytes, as fetch has it.
export function breakingFetch(cut) {
  let cuts = cut?.times ?? 0;

  return async (input, init) => {
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
  };
}
