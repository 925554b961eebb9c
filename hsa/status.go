package hsa

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Status is a status code, hsa_status_t. StatusSuccess and StatusInfoBreak are
// not errors. A Status can be compared with errors.Is:
//
//	errors.Is(err, hsa.StatusErrorOutOfResources)
//
// Source: hsa.h; hsa_ext_amd.h for codes below 0x1000.
type Status uint32

// Status codes with their values, from 0x1000 on the codes of hsa.h. HSA
// Runtime Programmer's Reference Manual 1.2, hsa_status_t, describes the
// conditions.
const (
	StatusSuccess   Status = 0
	StatusInfoBreak Status = 1

	StatusErrorInvalidMemoryPool       Status = 40
	StatusErrorMemoryApertureViolation Status = 41
	StatusErrorIllegalInstruction      Status = 42
	StatusErrorMemoryFault             Status = 43
	StatusCUMaskReduced                Status = 44
	StatusErrorOutOfRegisters          Status = 45
	StatusErrorResourceBusy            Status = 46
	StatusErrorNotSupported            Status = 47

	StatusError                        Status = 0x1000
	StatusErrorInvalidArgument         Status = 0x1001
	StatusErrorInvalidQueueCreation    Status = 0x1002
	StatusErrorInvalidAllocation       Status = 0x1003
	StatusErrorInvalidAgent            Status = 0x1004
	StatusErrorInvalidRegion           Status = 0x1005
	StatusErrorInvalidSignal           Status = 0x1006
	StatusErrorInvalidQueue            Status = 0x1007
	StatusErrorOutOfResources          Status = 0x1008
	StatusErrorInvalidPacketFormat     Status = 0x1009
	StatusErrorResourceFree            Status = 0x100a
	StatusErrorNotInitialized          Status = 0x100b
	StatusErrorRefcountOverflow        Status = 0x100c
	StatusErrorIncompatibleArguments   Status = 0x100d
	StatusErrorInvalidIndex            Status = 0x100e
	StatusErrorInvalidISA              Status = 0x100f
	StatusErrorInvalidCodeObject       Status = 0x1010
	StatusErrorInvalidExecutable       Status = 0x1011
	StatusErrorFrozenExecutable        Status = 0x1012
	StatusErrorInvalidSymbolName       Status = 0x1013
	StatusErrorVariableAlreadyDefined  Status = 0x1014
	StatusErrorVariableUndefined       Status = 0x1015
	StatusErrorException               Status = 0x1016
	StatusErrorInvalidISAName          Status = 0x1017
	StatusErrorInvalidCodeSymbol       Status = 0x1018
	StatusErrorInvalidExecutableSymbol Status = 0x1019
	StatusErrorInvalidFile             Status = 0x1020
	StatusErrorInvalidCodeObjectReader Status = 0x1021
	StatusErrorInvalidCache            Status = 0x1022
	StatusErrorInvalidWavefront        Status = 0x1023
	StatusErrorInvalidSignalGroup      Status = 0x1024
	StatusErrorInvalidRuntimeState     Status = 0x1025
	StatusErrorFatal                   Status = 0x1026
)

var statusNames = lazy.Value[map[Status]string]{Make: func() map[Status]string {
	return map[Status]string{
		StatusSuccess:                      "HSA_STATUS_SUCCESS",
		StatusInfoBreak:                    "HSA_STATUS_INFO_BREAK",
		StatusErrorInvalidMemoryPool:       "HSA_STATUS_ERROR_INVALID_MEMORY_POOL",
		StatusErrorMemoryApertureViolation: "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION",
		StatusErrorIllegalInstruction:      "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION",
		StatusErrorMemoryFault:             "HSA_STATUS_ERROR_MEMORY_FAULT",
		StatusCUMaskReduced:                "HSA_STATUS_CU_MASK_REDUCED",
		StatusErrorOutOfRegisters:          "HSA_STATUS_ERROR_OUT_OF_REGISTERS",
		StatusErrorResourceBusy:            "HSA_STATUS_ERROR_RESOURCE_BUSY",
		StatusErrorNotSupported:            "HSA_STATUS_ERROR_NOT_SUPPORTED",
		StatusError:                        "HSA_STATUS_ERROR",
		StatusErrorInvalidArgument:         "HSA_STATUS_ERROR_INVALID_ARGUMENT",
		StatusErrorInvalidQueueCreation:    "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION",
		StatusErrorInvalidAllocation:       "HSA_STATUS_ERROR_INVALID_ALLOCATION",
		StatusErrorInvalidAgent:            "HSA_STATUS_ERROR_INVALID_AGENT",
		StatusErrorInvalidRegion:           "HSA_STATUS_ERROR_INVALID_REGION",
		StatusErrorInvalidSignal:           "HSA_STATUS_ERROR_INVALID_SIGNAL",
		StatusErrorInvalidQueue:            "HSA_STATUS_ERROR_INVALID_QUEUE",
		StatusErrorOutOfResources:          "HSA_STATUS_ERROR_OUT_OF_RESOURCES",
		StatusErrorInvalidPacketFormat:     "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT",
		StatusErrorResourceFree:            "HSA_STATUS_ERROR_RESOURCE_FREE",
		StatusErrorNotInitialized:          "HSA_STATUS_ERROR_NOT_INITIALIZED",
		StatusErrorRefcountOverflow:        "HSA_STATUS_ERROR_REFCOUNT_OVERFLOW",
		StatusErrorIncompatibleArguments:   "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS",
		StatusErrorInvalidIndex:            "HSA_STATUS_ERROR_INVALID_INDEX",
		StatusErrorInvalidISA:              "HSA_STATUS_ERROR_INVALID_ISA",
		StatusErrorInvalidCodeObject:       "HSA_STATUS_ERROR_INVALID_CODE_OBJECT",
		StatusErrorInvalidExecutable:       "HSA_STATUS_ERROR_INVALID_EXECUTABLE",
		StatusErrorFrozenExecutable:        "HSA_STATUS_ERROR_FROZEN_EXECUTABLE",
		StatusErrorInvalidSymbolName:       "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME",
		StatusErrorVariableAlreadyDefined:  "HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED",
		StatusErrorVariableUndefined:       "HSA_STATUS_ERROR_VARIABLE_UNDEFINED",
		StatusErrorException:               "HSA_STATUS_ERROR_EXCEPTION",
		StatusErrorInvalidISAName:          "HSA_STATUS_ERROR_INVALID_ISA_NAME",
		StatusErrorInvalidCodeSymbol:       "HSA_STATUS_ERROR_INVALID_CODE_SYMBOL",
		StatusErrorInvalidExecutableSymbol: "HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL",
		StatusErrorInvalidFile:             "HSA_STATUS_ERROR_INVALID_FILE",
		StatusErrorInvalidCodeObjectReader: "HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER",
		StatusErrorInvalidCache:            "HSA_STATUS_ERROR_INVALID_CACHE",
		StatusErrorInvalidWavefront:        "HSA_STATUS_ERROR_INVALID_WAVEFRONT",
		StatusErrorInvalidSignalGroup:      "HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP",
		StatusErrorInvalidRuntimeState:     "HSA_STATUS_ERROR_INVALID_RUNTIME_STATE",
		StatusErrorFatal:                   "HSA_STATUS_ERROR_FATAL",
	}
}}

// String returns the name of the code, such as
// "HSA_STATUS_ERROR_INVALID_QUEUE".
func (s Status) String() string {
	if name, ok := statusNames.Get()[s]; ok {
		return name
	}
	return fmt.Sprintf("hsa_status_t(%#x)", uint32(s))
}

// Error returns the name of the code.
func (s Status) Error() string { return s.String() }

// Error describes a failed operation. All errors of this package have type
// *Error, except context errors.
type Error struct {
	Status  Status // status code
	Message string // what failed and why; may be empty
	Err     error  // cause, such as a *device.Fault; may be nil
}

// Error returns the message, the cause and the name of the status code.
func (e *Error) Error() string {
	text := e.Message
	if e.Err != nil {
		if text != "" {
			text += ": "
		}
		text += e.Err.Error()
	}
	if cause, ok := e.Err.(*Error); ok && cause.Status == e.Status {
		return text // includes the status name
	}
	return fmt.Sprintf("%s (%s)", text, e.Status)
}

// Unwrap returns the status code and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Status}
	}
	return []error{e.Status, e.Err}
}

// StatusOf returns the status code of an error of this package. It returns
// StatusSuccess for nil and StatusError for an error without a code.
func StatusOf(err error) Status {
	if err == nil {
		return StatusSuccess
	}
	var s Status
	if errors.As(err, &s) {
		return s
	}
	return StatusError
}

// errorf returns an Error without a cause.
func errorf(s Status, format string, args ...any) *Error {
	return &Error{Status: s, Message: fmt.Sprintf(format, args...)}
}

// causedBy returns an Error with a cause.
func causedBy(s Status, err error, format string, args ...any) *Error {
	return &Error{Status: s, Message: fmt.Sprintf(format, args...), Err: err}
}
