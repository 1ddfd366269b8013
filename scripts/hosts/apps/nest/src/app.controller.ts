import { Controller, Get, StreamableFile } from '@nestjs/common';
import { AppService } from './app.service.js';

@Controller()
export class AppController {
  constructor(private readonly service: AppService) {}

  @Get()
  hello(): string {
    return 'Hello from the page';
  }

  @Get('slow')
  async slow(): Promise<string> {
    return this.service.answer();
  }

  @Get('stream')
  stream(): StreamableFile {
    return new StreamableFile(this.service.stream());
  }
}
