import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';

@Injectable()
export class AppService {
  async answer(): Promise<string> {
    const response = await fetch(process.env.BACKEND_URL as string);
    return `The slow answer is ${await response.text()}`;
  }

  stream(): Readable {
    return Readable.from(this.#parts());
  }

  async *#parts(): AsyncGenerator<Buffer> {
    yield Buffer.from('first\n');
    await this.answer();
    yield Buffer.from('last\n');
  }
}
