export const dynamic = 'force-dynamic';

export function GET() {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(encoder.encode('first\n'));
      await fetch(process.env.BACKEND_URL, { cache: 'no-store' });
      controller.enqueue(encoder.encode('last\n'));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/plain' } });
}
